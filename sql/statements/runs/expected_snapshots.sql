-- why: each run has landed a snapshot of every resource that did not fail in it
select run_id, resource from ops.run_resources where verdict <> 'failed'
