-- grain: asset_id
-- why: the assets to derive again: those with a new version, and all assets of a type with a new version (labels may
-- differ)
with opened as (
  select asset_id from history.assets where valid_from > $built_through::timestamptz
),
retyped as (
  select asset_types.asset_type_id
  from history.asset_types as asset_types
  where asset_types.valid_from > $built_through::timestamptz
),
dirty as (
  select asset_id from opened
  union
  select asset_id from main.assets semi join retyped using (asset_type_id)
)
select asset_id, asset_id as record_id
from dirty
