-- severity: fail
-- why: a current table holds exactly the latest versions that are not gone
with latest as (
  select asset_id from history.assets where valid_to is null and change <> 'delete'
)
(select asset_id from latest except all select asset_id from main.assets)
union all
(select asset_id from main.assets except all select asset_id from latest)
