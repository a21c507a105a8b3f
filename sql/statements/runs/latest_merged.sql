-- why: the latest run that dealt with a resource
select max(run_id) from ops.run_resources where resource = $resource
