-- why: each published table and view, with the run that changed it last
with relations as (
  select schema_name, table_name from duckdb_tables() where database_name = current_database()
  union all
  select schema_name, view_name from duckdb_views() where not internal and database_name = current_database()
)
select relations.schema_name, relations.table_name, known.changed_run_id
from relations
left join ops.tables as known
  on known.table_schema = relations.schema_name and known.table_name = relations.table_name
order by all
