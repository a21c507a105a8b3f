-- grain: asset_id, position
-- why: one row a field result; a result refers to its field by a member that the API's document does not show
with dirty as (
  select assets.asset_id, property_id, asset_type_id, coalesce(exact.payload, assets.payload) as payload
  from main.assets as assets
  semi join staging.dirty_assets using (asset_id)
  left join staging.exact_numbers as exact on exact.asset_id = assets.asset_id
),
listed as (
  select * exclude (payload), from_json({{results}}, '["JSON"]') as results
  from dirty
),
referred as (
  select *, list_transform(results, lambda result: {{result_field}}) as field_ids
  from listed
),
unnested as (
  select
    asset_id,
    property_id,
    asset_type_id,
    unnest(results) as result,
    unnest(field_ids) as field_id,
    generate_subscripts(results, 1)::integer as position,
    -- most assets name each field once; only the others pay for finding the repeats
    if(len(field_ids) > list_unique(field_ids), field_ids, null) as repeated
  from referred
)
select
  asset_id,
  property_id,
  asset_type_id,
  field_id,
  position,
  field_id is not null and repeated is not null and list_position(repeated, field_id) < position as is_repeat,
  result->>'$.type' as kind,
  {{result_value}} as value
from unnested
