-- why: an asset that came after a plan and is gone may be one that an interrupted apply of it made
select distinct asset_id, property_id, asset_type_id
from history.assets_typed
where
  valid_from > $at and first_seen_at > $at
  and asset_type_id in (select unnest($types)) and property_id in (select unnest($properties))
