-- grain: asset_id
-- why: an asset that changed may have moved to another type, so its row is taken out of every type's table
select asset_id from staging.dirty_assets
