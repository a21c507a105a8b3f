-- why: the latest run that merged a resource
select max(run_id) from ops.run_resources where resource = $resource
