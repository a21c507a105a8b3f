-- why: a further list takes the name, and what is noted of the table is about the earlier one
delete from ops.tables where table_schema = 'main' and table_name = $table_name
