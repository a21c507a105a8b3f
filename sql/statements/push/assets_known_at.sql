-- why: an asset that the tables of a plan lacked may be one that the plan would make again
select asset_id
from assets
where
  asset_type_id in (select unnest($types)) and property_id in (select unnest($properties))
  and first_seen_at <= $at
