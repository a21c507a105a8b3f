-- why: every column that people can read, with its source, and for an option field the first of its options
with relations as (
  select schema_name, table_name, comment as table_comment, false as is_view
  from duckdb_tables()
  where database_name = current_database() and not internal
  union all
  select schema_name, view_name, comment, true
  from duckdb_views()
  where database_name = current_database() and not internal
),
options as (
  select table_name, column_name, min(asset_field_options.label) as example
  from main.asset_field_options
  join (select asset_type_id, table_name from main.asset_types) using (asset_type_id)
  join main.asset_type_fields using (asset_type_id, field_id)
  group by all
)
select
  relations.schema_name,
  relations.table_name,
  table_comment,
  is_view,
  described.column_name,
  described.data_type,
  described.comment as meaning,
  known.source,
  options.example as option
from relations
join duckdb_columns() as described
  on described.schema_name = relations.schema_name
  and described.table_name = relations.table_name
  and described.database_name = current_database()
left join ops.columns as known
  on known.table_schema = relations.schema_name
  and known.table_name = relations.table_name
  and known.column_name = described.column_name
left join options
  on relations.schema_name = 'by_type'
  and options.table_name = relations.table_name
  and options.column_name = described.column_name
order by
  list_position(['marts', 'main', 'by_type', 'history', 'ops'], relations.schema_name),
  relations.table_name,
  described.column_index
