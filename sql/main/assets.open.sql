-- grain: asset_id
-- why: the latest version of each asset that is not gone; `property` and `type` may be ids or objects that hold one
with versions as (
  select *
  from history.assets
  semi join staging.dirty_assets using (asset_id)
  where valid_to is null and change <> 'delete'
),
first_seen as (
  select asset_id, min(valid_from) as first_seen_at
  from history.assets
  semi join staging.dirty_assets using (asset_id)
  group by asset_id
),
placed as (
  select
    asset_id,
    {{property}} as property_id,
    {{type}} as asset_type_id,
    valid_from as changed_at,
    payload
  from versions
)
select
  asset_id,
  property_id,
  asset_type_id,
  types.name as asset_type,
  first_seen_at,
  changed_at,
  placed.payload{{open_columns}}
from placed
join first_seen using (asset_id)
left join main.asset_types as types using (asset_type_id)
