-- grain: version_id
-- why: the versions whose field values are to be typed, under an id of their own: models take a version for an asset
with versions as (
  select history.asset_id, history.valid_from, history.valid_to
  from history.assets as history
  join staging.touched_assets as touched using (asset_id)
  where history.change not in ('delete', 'erase')
    and history.valid_to is not null
    and (touched.is_whole or history.valid_to > $built_through::timestamptz)
)
select asset_id || chr(31) || epoch_us(valid_from) as version_id, asset_id, valid_from, valid_to
from versions
