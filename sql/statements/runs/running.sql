-- why: if a run is still marked as running when the next one has the lock, somebody killed it
select run_id from ops.runs where status = 'running' order by run_id
