-- grain: asset_type_id, field_id, option_id
-- why: how often each option is chosen, and the choices that no option explains
with answers as (
  -- few sets of options have many answers
  select asset_type_id, field_id, value_options, count(*) as assets
  from main.asset_field_values
  where len(value_options) > 0
  group by asset_type_id, field_id, value_options
),
chosen as (
  select asset_type_id, field_id, assets, unnest(list_distinct(value_options)) as option_id from answers
),
choices as (
  select asset_type_id, field_id, option_id, sum(assets)::bigint as assets
  from chosen
  where option_id is not null
  group by asset_type_id, field_id, option_id
),
answered as (
  select asset_type_id, field_id, sum(assets)::bigint as answered from answers group by asset_type_id, field_id
),
options as (
  select asset_type_id, field_id, option_id, label, true as is_offered from main.asset_field_options
  union all
  select asset_type_id, field_id, option_id, null, false
  from choices
  anti join main.asset_field_options as offered using (asset_type_id, field_id, option_id)
)
select
  options.asset_type_id,
  types.name as asset_type,
  options.field_id,
  fields.label as field,
  options.option_id,
  options.label as option,
  options.is_offered,
  coalesce(choices.assets, 0) as assets,
  coalesce(choices.assets, 0) / nullif(answered.answered, 0) as share
from options
left join (select asset_type_id, name from main.asset_types) as types on types.asset_type_id = options.asset_type_id
left join main.asset_type_fields as fields
  on fields.asset_type_id = options.asset_type_id and fields.field_id = options.field_id
left join choices
  on choices.asset_type_id = options.asset_type_id
  and choices.field_id = options.field_id
  and choices.option_id = options.option_id
left join answered on answered.asset_type_id = options.asset_type_id and answered.field_id = options.field_id
