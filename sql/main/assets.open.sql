-- grain: asset_id
-- why: the latest version of each asset that is not gone; `property` and `type` may be ids or objects that hold one
with versions as (
  select *, json_extract(readable, {{record_members}}) as members
  from staging.readable_versions
),
earlier as (
  -- few records have one: a join with all of them would hold every payload
  select asset_id, min(valid_from) as first_seen_at
  from history.assets
  semi join staging.dirty_records using (asset_id)
  where valid_to is not null
  group by asset_id
),
placed as (
  select
    asset_id,
    {{property}} as property_id,
    {{type}} as asset_type_id,
    valid_from as changed_at,
    payload,
    members
  from versions
),
types as (
  select asset_type_id, name as asset_type from main.asset_types
)
select
  asset_id,
  property_id,
  asset_type_id,
  asset_type,
  coalesce(first_seen_at, changed_at) as first_seen_at,
  changed_at,
  payload{{open_columns}}
from placed
left join earlier using (asset_id)
left join types using (asset_type_id)
