-- why: a file may name an asset that somebody has deleted since
select asset_id
from history.assets
where asset_id in (select unnest($ids)) and valid_to is null and change = 'delete'
