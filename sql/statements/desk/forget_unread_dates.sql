-- why: dates that nobody can read, that are still to come, or that the API no longer sends are judged in each run
delete from ops.value_issues
where resource = 'assessments' and issue in (
  'is not a date that propsync can read', 'is a date after today', 'is a date that the API no longer sends'
)
