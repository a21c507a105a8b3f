-- why: a label may be renamed, and options may come, without a change of any asset. So these are the columns of types'
-- tables whose comment is not as it should be
with options as (
  select
    asset_type_id,
    field_id,
    array_to_string(list(coalesce(label, option_id) order by option_id)[:20], ', ') || if(count(*) > 20, ', …', '') as offered
  from main.asset_field_options
  where is_listed
  group by asset_type_id, field_id
),
former as (
  select name, string_agg(distinct before, ', ' order by before) as labels
  from ops.schema_changes
  where resource = 'asset_types' and change = 'label renamed' and before is not null
  group by name
),
fields as (
  select
    table_name,
    column_name,
    field_id,
    asset_type_id,
    label,
    case type when 'DATE' then 'date' when 'TIME' then 'time' else coalesce(kind, 'text') end as kind,
    replace(replace(asset_type_id, '\', '\\'), '/', '\/') || '/' || replace(replace(field_id, '\', '\\'), '/', '\/') as name
  from main.asset_type_fields
  join (select asset_type_id, table_name from main.asset_types) using (asset_type_id)
  join ops.columns using (table_name, column_name)
  where table_schema = 'by_type'
),
wanted as (
  select
    table_name,
    column_name,
    coalesce(label, 'A field without a label') || ' (' || kind || ' field'
      || if(kind = 'option', '; labels joined by ''; '', '''' for no choice, NULL for no result', '') || ')'
      || coalesce('. Options: ' || offered, '')
      || coalesce('. Formerly: ' || labels, '')
      || '. Id in the API: ' || field_id as comment
  from fields
  left join options using (asset_type_id, field_id)
  left join former using (name)
)
select table_name, column_name, wanted.comment
from wanted
join duckdb_columns() as present using (table_name, column_name)
where present.database_name = current_database()
  and present.schema_name = 'by_type'
  and present.comment is distinct from wanted.comment
order by table_name, column_name
