-- why: each run has landed a snapshot of every resource that it could read, also if it could not build the tables
select run_id, resource from ops.run_resources where verdict <> 'failed' or sweeps > 0
