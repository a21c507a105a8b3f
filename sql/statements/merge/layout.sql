-- why: a rebuilt table keeps its columns in their order, with their comments
select
  columns.schema_name,
  columns.table_name,
  columns.column_name,
  columns.data_type,
  columns.column_index,
  columns.comment,
  tables.comment as table_comment
from duckdb_columns() as columns
join duckdb_tables() as tables using (database_name, schema_name, table_name)
where columns.database_name = current_database() and (
    columns.schema_name in ('main', 'by_type')
    or (columns.schema_name = 'history' and columns.table_name = 'bundle_actions')
  )
