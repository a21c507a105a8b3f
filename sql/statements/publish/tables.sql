-- why: each table and view with a Parquet file, and the run that changed it last
with relations as (
  select schema_name, table_name from duckdb_tables() where database_name = current_database()
  union all
  -- a view of all versions would be written whole for every night that changes one of them
  select schema_name, view_name
  from duckdb_views()
  where not internal and database_name = current_database() and schema_name <> 'history'
)
select relations.schema_name, relations.table_name, known.changed_run_id
from relations
left join ops.tables as known
  on known.table_schema = relations.schema_name and known.table_name = relations.table_name
order by all
