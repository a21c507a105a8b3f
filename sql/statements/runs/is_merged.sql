-- why: a snapshot that has been merged is not merged again
select count(*) from ops.run_resources where run_id = $run_id and resource = $resource
