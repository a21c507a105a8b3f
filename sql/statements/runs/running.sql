-- why: a run that is still called running when the next one has the lock was killed
select run_id from ops.runs where status = 'running' order by run_id
