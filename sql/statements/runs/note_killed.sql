-- why: a run that is still called running when the next one has the lock was killed
update ops.runs
set status = 'killed', error = 'it ended without a word'
where status = 'running'
