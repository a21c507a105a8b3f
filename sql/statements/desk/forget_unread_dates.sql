-- why: dates that nobody can read are judged in each run
delete from ops.value_issues
where resource = 'assessments' and issue = 'is not a date that propsync can read'
