-- severity: fail
-- why: a current table holds exactly the versions that are not gone, as of the last run that it was built for: where
-- building failed, yesterday's rows stay
with built as (
  select built_through from ops.tables where table_schema = 'main' and table_name = 'assets' and built_through is not null
),
shown as (
  select asset_id from main.assets where exists (from built)
),
latest as (
  select asset_id
  from history.assets
  join built on valid_from <= built_through and (valid_to is null or valid_to > built_through)
  where change <> 'delete'
)
(select asset_id from latest except all select asset_id from shown)
union all
(select asset_id from shown except all select asset_id from latest)
