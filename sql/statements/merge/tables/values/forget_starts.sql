-- why: an asset that changed has its values' beginnings noted again
delete from history.asset_field_value_starts
where asset_id in (select asset_id from staging.touched_assets)
