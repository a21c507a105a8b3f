-- severity: fail
-- why: a current table holds exactly the latest versions that are not gone
with latest as (
  select asset_id from history.assets where valid_to is null and change <> 'delete'
),
kept as (
  select asset_id from main.assets
)
select asset_id
from latest
full join kept using (asset_id)
where latest.asset_id is null or kept.asset_id is null
