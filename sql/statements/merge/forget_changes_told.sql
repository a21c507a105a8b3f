-- why: a run's original notes of changes replace those that the rebuild made in its name
delete from ops.schema_changes where run_id in (select run_id from staging.runs_told)
