-- why: a table's mark names the run up to which propsync built it
select table_schema, table_name from ops.tables
