-- why: only the assets that a file names are read, however many there are
select asset_id, property_id, asset_type_id from assets where asset_id in (select unnest($ids))
