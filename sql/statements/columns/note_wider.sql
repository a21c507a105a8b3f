-- why: a widened column names the run that widened it
update ops.columns
set type = $type, last_run_id = $run_id
where table_schema = $schema and table_name = $table and column_name = $column
