-- why: a file from before may show the property from which somebody has moved an asset since
select asset_id, property_id
from history.assets_typed
where asset_id in (select unnest($ids)) and valid_from <= $at and valid_to > $at
