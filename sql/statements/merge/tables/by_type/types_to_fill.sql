-- why: the types of the assets to build again
select distinct asset_type_id from main.assets semi join staging.dirty_records using (asset_id)
