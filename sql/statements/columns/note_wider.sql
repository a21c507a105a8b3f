-- why: a column that was widened tells which run did that
update ops.columns
set type = $type, last_run_id = $run_id
where table_schema = $schema and table_name = $table and column_name = $column
