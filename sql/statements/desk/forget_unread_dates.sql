-- why: dates that nobody can read, or that are still to come, are judged in each run
delete from ops.value_issues
where resource = 'assessments' and issue in ('is not a date that propsync can read', 'is a date after today')
