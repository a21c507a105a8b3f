-- severity: warn
-- why: values that are suddenly missing from many records point to a change of the API's shapes
-- direction: up
-- share: 0.1
-- floor: 20
-- new: ignored
with filled_fields as (
  select
    asset_type_id,
    field_id,
    count(*) filter (staging.is_filled(value_options, value_text, value_json)) as filled
  from main.asset_field_values
  group by asset_type_id, field_id
),
assets as (
  select asset_type_id, count(*) as total from main.assets group by asset_type_id
),
-- a field whose results are all gone has a definition alone
fields as (
  select asset_type_id, field_id from main.asset_type_fields where is_listed
  union
  select asset_type_id, field_id from filled_fields
),
-- an asset without a result of the field lacks the value too. A column keeps its name when somebody renames its field
columns_of_fields as (
  select
    coalesce(
      'by_type.' || asset_types.table_name || '.' || asset_type_fields.column_name,
      'field ' || fields.field_id || ' of type ' || fields.asset_type_id
    ) as subject,
    assets.total - coalesce(filled_fields.filled, 0) as value,
    assets.total
  from fields
  join assets using (asset_type_id)
  left join filled_fields using (asset_type_id, field_id)
  left join main.asset_type_fields using (asset_type_id, field_id)
  left join main.asset_types using (asset_type_id)
),
columns_of_records as (
  select 'main.assets.property_id' as subject, count_if(property_id is null) as value, count(*) as total
  from main.assets
  union all
  select 'main.assessments.property_id', count_if(property_id is null), count(*) from main.assessments
  union all
  select 'main.assessments.status', count_if(status is null), count(*) from main.assessments
  union all
  select 'main.schedules.due_date', count_if(due_date is null), count(*) from main.schedules
  union all
  select 'main.schedules.assigned_users', count_if(coalesce(len(assigned_users), 0) = 0), count(*) from main.schedules
)
from columns_of_fields
union all
from columns_of_records
