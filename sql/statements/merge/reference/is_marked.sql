-- why: a list that was carried over has no mark yet
select count(*) from ops.tables where table_schema = $schema and table_name = $table
