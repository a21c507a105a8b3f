-- why: a resource that a run could not read had nothing to merge
select count(*) from ops.run_resources where run_id = $run_id and resource = $resource and verdict = 'failed'
