-- grain: asset_id
-- why: all values of an asset that changed are made anew
select asset_id from staging.dirty_assets
