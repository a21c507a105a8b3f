-- grain: resource, record_id, changed_at
-- why: the events after the latest of their resource that the mart has: a late build brings several nights at once. A
-- value shows its latest writing, so the earlier events of a record with a newer version come again. So do those of a
-- type with a newer definition, and those with a name to renew
with versions as (
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
  union all
  select
    'assessments', assessment_id, assessment_id, '', property_id, assessment_type_id, types.name, valid_from, first_seen_at, change, run_id
  from history.assessments_typed
  left join (select assessment_type_id, name from main.assessment_types) as types using (assessment_type_id)
  union all
  select
    'schedules',
    replace(replace(property_id, '\', '\\'), '/', '\/') || '/' || replace(replace(assessment_type_id, '\', '\\'), '/', '\/'),
    property_id,
    assessment_type_id,
    property_id,
    assessment_type_id,
    types.name,
    valid_from,
    first_seen_at,
    change,
    run_id
  from history.schedules_typed
  left join (select assessment_type_id, name from main.assessment_types) as types using (assessment_type_id)
),
latest as (
  select resource, max(changed_at) as latest_at from marts.changes group by resource
),
first_loads as (
  select 'assets' as resource, min(valid_from) as loaded_at from history.assets
  union all
  select 'assessments', min(valid_from) from history.assessments
  union all
  select 'schedules', min(valid_from) from history.schedules
),
retyped as (
  select asset_type_id as type_id, 'assets' as resource
  from history.asset_types
  where valid_from > $built_through::timestamptz
),
with_news as (
  select distinct resource, record_id, true as has_news
  from versions
  left join latest using (resource)
  left join retyped using (resource, type_id)
  where $is_whole or latest_at is null or changed_at > latest_at or retyped.type_id is not null
),
renamed as (
  select resource, record_id, changed_at, true as is_renamed from staging.renamed_changes
)
select
  versions.* exclude (change, first_seen_at),
  case
    when change = 'update' then 'changed'
    when change = 'delete' then 'deleted'
    when changed_at > first_seen_at then 'returned'
    else 'new'
  end as change,
  changed_at = loaded_at as is_first_load
from versions
join first_loads using (resource)
left join with_news using (resource, record_id)
left join renamed using (resource, record_id, changed_at)
where has_news or is_renamed
