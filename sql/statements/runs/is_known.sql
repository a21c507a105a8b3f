-- why: landing may tell of runs that the journal does not know
select count(*) from ops.runs where run_id = $run_id
