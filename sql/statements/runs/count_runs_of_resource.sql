-- why: a resource that no run dealt with is read for the first time
select count(*) from ops.run_resources where resource = $resource
