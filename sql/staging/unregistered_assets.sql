-- grain: asset_id
-- why: assets that the register lacks, or has as they were before a change of the asset, its type or your list. Other
-- rules of the mart make every row again. Of an asset that is gone, the register still has a row. Values of a type lie
-- together, so a range of places in this order reads few types
with assets as (
  select
    assets.asset_id,
    assets.property_id,
    properties.name as property_name,
    assets.asset_type_id,
    assets.asset_type,
    assets.first_seen_at,
    assets.changed_at,
    marks.type_mark
  from main.assets as assets
  left join staging.type_marks as marks on marks.asset_type_id = assets.asset_type_id
  left join staging.listed_properties as properties on properties.property_id = assets.property_id
)
select
  assets.* replace (coalesce(assets.asset_id, register.asset_id) as asset_id),
  assets.asset_id is null as is_gone,
  row_number() over (order by assets.asset_type_id) as place
from assets
full join marts.asset_register as register on register.asset_id = assets.asset_id
where $is_whole
  or assets.asset_id is null
  or register.asset_id is null
  or register.changed_at <> assets.changed_at
  or register.type_mark is distinct from assets.type_mark
  or register.property_name is distinct from assets.property_name
