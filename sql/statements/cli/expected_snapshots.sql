-- why: each run that did not fail for a resource has landed a snapshot of it
select run_id, resource from ops.run_resources where verdict <> 'failed'
