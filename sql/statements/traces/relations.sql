-- why: a search reads every table and view of a database file, column by column
select schema_name, name, is_view, list({'name': column_name, 'type': data_type} order by column_index) as columns
from (
  select schema_name, table_name as name, false as is_view
  from duckdb_tables()
  where not internal and database_name = current_database()
  union all
  select schema_name, view_name, true
  from duckdb_views()
  where not internal and database_name = current_database()
) as relations
join (
  select schema_name, table_name as name, column_name, data_type, column_index
  from duckdb_columns()
  where database_name = current_database()
) as columns
using (schema_name, name)
group by all
order by all
