-- grain: resource, record_id, changed_at
-- why: every event of the records with news. A value shows its latest writing, so the earlier events of a record with a
-- newer version come again
with news as (
  select * from staging.records_with_news
),
asset_versions as (
  select
    'assets' as resource,
    asset_id as record_id,
    asset_id as key_1,
    '' as key_2,
    property_id,
    asset_type_id as type_id,
    asset_type as type,
    valid_from as changed_at,
    first_seen_at,
    change,
    run_id
  from history.assets_typed
  semi join (from news where resource = 'assets') as news on news.key_1 = asset_id
),
assessment_versions as (
  select
    'assessments' as resource,
    assessment_id as record_id,
    assessment_id as key_1,
    '' as key_2,
    property_id,
    assessment_type_id as type_id,
    types.name as type,
    valid_from as changed_at,
    first_seen_at,
    change,
    run_id
  from (
    from history.assessments_typed
    semi join (from news where resource = 'assessments') as news on news.key_1 = assessment_id
  )
  left join (select assessment_type_id, name from main.assessment_types) as types using (assessment_type_id)
),
schedule_versions as (
  select
    'schedules' as resource,
    replace(replace(property_id, '\', '\\'), '/', '\/') || '/' || replace(replace(assessment_type_id, '\', '\\'), '/', '\/') as record_id,
    property_id as key_1,
    assessment_type_id as key_2,
    property_id,
    assessment_type_id as type_id,
    types.name as type,
    valid_from as changed_at,
    first_seen_at,
    change,
    run_id
  from (
    from history.schedules_typed
    semi join (from news where resource = 'schedules') as news on news.key_1 = property_id and news.key_2 = assessment_type_id
  )
  left join (select assessment_type_id, name from main.assessment_types) as types using (assessment_type_id)
),
versions as (
  from asset_versions
  union all
  from assessment_versions
  union all
  from schedule_versions
),
first_versions as (
  select 'assets' as resource, min(valid_from) as seen_at from history.assets
  union all
  select 'assessments', min(valid_from) from history.assessments
  union all
  select 'schedules', min(valid_from) from history.schedules
),
first_reads as (
  select unnest($first_reads::struct(resource varchar, read_at timestamptz)[], recursive := true)
),
-- what a backfill or an incomplete read leaves out was not looked for, so the first complete read finds nothing new
first_loads as (
  select resource, greatest(seen_at, read_at) as loaded_at
  from first_versions
  left join first_reads using (resource)
)
select
  versions.* exclude (change, first_seen_at),
  case
    when change = 'update' then 'changed'
    when change = 'delete' then 'deleted'
    when changed_at > first_seen_at then 'returned'
    else 'new'
  end as change,
  change = 'insert' and changed_at <= loaded_at and changed_at <= first_seen_at as is_first_load
from versions
join first_loads using (resource)
