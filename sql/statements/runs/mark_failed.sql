-- why: a run may merge what it read, and then fail to build its tables; it has one row for the resource either way
update ops.run_resources
set verdict = 'failed', error = $error
where run_id = $run_id and resource = $resource
