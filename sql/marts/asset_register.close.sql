-- grain: asset_id
-- why: rows of assets that are gone, and of those to make again
select asset_id from staging.unregistered_assets
