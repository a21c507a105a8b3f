-- why: if a run is still marked as running when the next one has the lock, somebody killed it
update ops.runs
set status = 'killed', error = 'it ended without a message'
where status = 'running'
