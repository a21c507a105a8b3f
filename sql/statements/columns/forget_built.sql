-- why: propsync makes every row again: a wider type may show a value as the API wrote it
update ops.tables
set built_through = null
where table_schema = $schema and table_name = $table
