-- grain: resource, key_1, key_2
-- why: the records with a version after the latest event of their resource that the mart has: a late build brings several
-- nights at once. Also those of a type with a newer definition, and those with a name to renew. They are few, so DuckDB
-- passes over the versions of all others
with latest as (
  select resource, max(changed_at) as latest_at from marts.changes group by resource
),
retyped as (
  select asset_type_id from history.asset_types where valid_from > $built_through::timestamptz
),
found as (
  select 'assets' as resource, asset_id as key_1, '' as key_2
  from history.assets_typed
  where $is_whole or valid_from > coalesce((select latest_at from latest where resource = 'assets'), '-infinity')
  union all
  select 'assets', asset_id, ''
  from history.assets_typed
  semi join retyped using (asset_type_id)
  union all
  select 'assessments', assessment_id, ''
  from history.assessments_typed
  where $is_whole or valid_from > coalesce((select latest_at from latest where resource = 'assessments'), '-infinity')
  union all
  select 'schedules', property_id, assessment_type_id
  from history.schedules_typed
  where $is_whole or valid_from > coalesce((select latest_at from latest where resource = 'schedules'), '-infinity')
  union all
  select resource, key_1, key_2 from staging.renamed_changes
)
select distinct resource, key_1, key_2 from found
