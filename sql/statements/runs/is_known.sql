-- why: landing may have runs that the journal does not know
select count(*) from ops.runs where run_id = $run_id
