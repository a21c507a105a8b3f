-- why: a column that exists keeps its type, or gets a wider one
select table_name, column_name, type from ops.columns where table_schema = 'by_type'
