-- why: a template of another home names a run that these tables do not know
select count(*) from ops.runs where run_id = $run
