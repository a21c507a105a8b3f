-- why: the columns of a dropped table are gone
delete from ops.columns where table_schema = 'by_type' and table_name = $table
