-- why: a table that has a mark keeps up to where it was built
select table_schema, table_name from ops.tables
