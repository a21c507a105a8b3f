-- grain: asset_id
-- why: rows of assets that are gone, and of those to make again
select asset_id from marts.asset_register where asset_id not in (select asset_id from main.assets)
union all
select asset_id from staging.unregistered_assets
