-- why: a resource without a run is read for the first time
select count(*) from ops.run_resources where resource = $resource
