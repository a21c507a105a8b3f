-- why: a table has one mark, that of the last run that changed it
delete from ops.tables where table_schema = $schema and list_contains($tables, table_name)
