-- grain: asset_id
-- why: rows of assets that changed, or whose type is called something else now, are made anew
select asset_id from staging.dirty_assets
