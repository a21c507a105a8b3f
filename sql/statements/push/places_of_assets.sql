-- why: where a written asset is now, and the run that saw its last change
select assets.asset_id, assets.property_id, assets.asset_type_id, versions.run_id
from assets
semi join (select unnest($ids) as asset_id) as written using (asset_id)
left join history.assets as versions on versions.asset_id = assets.asset_id and versions.valid_to is null
