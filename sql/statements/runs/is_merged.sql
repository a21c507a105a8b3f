-- why: propsync does not merge a snapshot twice
select count(*) from ops.run_resources where run_id = $run_id and resource = $resource
