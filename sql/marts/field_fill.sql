-- grain: asset_type_id, field_id
-- why: the fields that people leave empty, and those whose values do not fit
with recorded as (
  select
    asset_type_id,
    field_id,
    staging.is_filled(value_options, value_text, value_json) as is_filled
  from main.asset_field_values
),
filled as (
  select asset_type_id, field_id, count(*) filter (is_filled) as filled from recorded group by asset_type_id, field_id
),
assets as (
  select asset_type_id, count(*) as assets from main.assets group by asset_type_id
),
-- a field that no type defines has values all the same
fields as (
  select asset_type_id, field_id, label, kind, is_listed from main.asset_type_fields
  union all
  select asset_type_id, field_id, null, null, false
  from filled
  anti join main.asset_type_fields as defined using (asset_type_id, field_id)
),
issues as (
  select issues.record_id as asset_id, issues.name, assets.asset_type_id
  from ops.value_issues as issues
  join main.assets as assets on assets.asset_id = issues.record_id
  where issues.resource = 'assets'
),
misfits as (
  select asset_type_id, name, count(distinct asset_id) as misfits from issues group by asset_type_id, name
)
select
  fields.asset_type_id,
  types.name as asset_type,
  fields.field_id,
  fields.label,
  fields.kind,
  fields.is_listed,
  coalesce(assets.assets, 0) as assets,
  coalesce(filled.filled, 0) as filled,
  coalesce(filled.filled, 0) / nullif(assets.assets, 0) as filled_share,
  coalesce(misfits.misfits, 0) as misfits
from fields
left join (select asset_type_id, name from main.asset_types) as types on types.asset_type_id = fields.asset_type_id
left join assets on assets.asset_type_id = fields.asset_type_id
left join filled on filled.asset_type_id = fields.asset_type_id and filled.field_id = fields.field_id
left join misfits
  on misfits.asset_type_id = fields.asset_type_id and misfits.name = coalesce(fields.label, fields.field_id)
