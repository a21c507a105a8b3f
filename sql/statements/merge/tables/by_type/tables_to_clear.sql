-- why: one query finds the tables with rows of assets to build again, as most have none on most days
select distinct name from ({{rows}}) semi join staging.dirty_records using (asset_id)
