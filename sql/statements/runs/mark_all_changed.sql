-- why: a rebuilt database has every table from one run
update ops.tables set changed_run_id = $run_id
