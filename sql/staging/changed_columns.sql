-- grain: resource, record_id, changed_at, field
-- why: the columns in which two versions that follow one another differ; users are a set
with events as (
  select resource, record_id, changed_at, key_1, key_2 from staging.change_events where change = 'changed'
),
-- records with an event first: few of all versions are shown as JSON
asset_versions as (
  select * exclude (asset_type, first_seen_at, changed_at, change, run_id, payload)
  from history.assets_typed
  semi join (from events where resource = 'assets') as events on key_1 = asset_id
),
assessment_versions as (
  select * exclude (first_seen_at, changed_at, change, run_id, payload)
  from history.assessments_typed
  semi join (from events where resource = 'assessments') as events on key_1 = assessment_id
),
schedule_versions as (
  select
    * exclude (first_seen_at, changed_at, change, run_id, payload)
    replace (array_to_string(list_sort(list_distinct(assigned_users)), '; ') as assigned_users)
  from history.schedules_typed
  semi join (from events where resource = 'schedules') as events on key_1 = property_id and key_2 = assessment_type_id
),
versions as (
  select 'assets' as resource, asset_id as key_1, '' as key_2, valid_from, valid_to, to_json(versions) as shown
  from asset_versions as versions
  union all
  select 'assessments', assessment_id, '', valid_from, valid_to, to_json(versions)
  from assessment_versions as versions
  union all
  select 'schedules', property_id, assessment_type_id, valid_from, valid_to, to_json(versions)
  from schedule_versions as versions
),
beside as (
  select events.resource, events.record_id, events.changed_at, versions.valid_from = events.changed_at as is_new, shown
  from events
  join versions using (resource, key_1, key_2)
  where versions.valid_from = events.changed_at or versions.valid_to = events.changed_at
),
columns as (
  select * exclude (shown, member), member[1] as field, member[2] as value
  from (select *, unnest(list_zip(json_keys(shown), json_extract_string(shown, '$.*'))) as member from beside)
  where member[1] not in ('valid_from', 'valid_to')
)
select
  resource,
  record_id,
  changed_at,
  field,
  max(value) filter (not is_new) as old_value,
  max(value) filter (is_new) as new_value
from columns
group by resource, record_id, changed_at, field
having old_value is distinct from new_value
