-- why: a dropped table has no freshness
delete from ops.tables where table_schema = 'by_type' and table_name = $table
