-- grain: asset_id
-- why: assets with earlier field values to type since the last build. A new version needs only the version before it. A
-- new definition of a type may read every value of its assets in another way, so all their versions count
with opened as (
  select distinct asset_id from history.assets where valid_from > $built_through::timestamptz
),
retyped as (
  select asset_type_id from history.asset_types where valid_from > $built_through::timestamptz
),
of_retyped as (
  select asset_id from main.assets semi join retyped using (asset_type_id)
  union
  select asset_id from history.assets_earlier semi join retyped using (asset_type_id)
),
touched as (
  select asset_id, false as is_whole from opened
  union all
  select asset_id, true as is_whole from of_retyped
),
with_earlier as (
  select asset_id, min(valid_from) as first_seen_at from history.assets where valid_to is not null group by asset_id
)
select asset_id, bool_or(is_whole) as is_whole, any_value(first_seen_at) as first_seen_at
from touched
join with_earlier using (asset_id)
group by asset_id
