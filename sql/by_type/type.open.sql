-- grain: asset_id
-- why: one row per asset of one type, one column per field; an asset with no value at all is a row too
with of_type as (
  select assets.asset_id, assets.property_id
  from main.assets as assets
  {{of_dirty}}
  where assets.asset_type_id = {{asset_type_id}}
),
field_values as (
  select recorded.*
  from main.asset_field_values as recorded
  {{of_dirty}}
  where recorded.asset_type_id = {{asset_type_id}}
),
{{by_asset}}
select *
from of_type
left join by_asset using (asset_id)
