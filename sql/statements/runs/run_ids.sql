-- why: landing may have runs that the journal does not know
select run_id from ops.runs
