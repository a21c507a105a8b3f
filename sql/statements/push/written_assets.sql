-- why: an asset may have no value at all
select asset_id from assets semi join (select unnest($ids) as asset_id) as written using (asset_id)
