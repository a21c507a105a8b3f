-- why: landing may tell of runs that the journal does not know
select run_id from ops.runs
