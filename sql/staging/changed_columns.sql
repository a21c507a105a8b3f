-- grain: resource, record_id, changed_at, field
-- why: the columns in which two versions that follow one another differ; users are a set
with events as (
  select resource, record_id, changed_at, key_1, key_2 from staging.change_events where change = 'changed'
),
-- records with an event first: few of all versions are shown as JSON
asset_versions as (
  select * exclude (asset_type, first_seen_at, changed_at, change, run_id, payload)
  from history.assets_typed
  semi join (from events where resource = 'assets') as events on events.key_1 = asset_id
),
assessment_versions as (
  select * exclude (first_seen_at, changed_at, change, run_id, payload)
  from history.assessments_typed
  semi join (from events where resource = 'assessments') as events on events.key_1 = assessment_id
),
schedule_versions as (
  select
    * exclude (first_seen_at, changed_at, change, run_id, payload)
    replace (array_to_string(list_sort(list_distinct(assigned_users)), '; ') as assigned_users)
  from history.schedules_typed
  semi join (from events where resource = 'schedules') as events on events.key_1 = property_id and events.key_2 = assessment_type_id
),
-- no column has a name with a space, so these name the rows
versions as (
  select 'assets' as resource, asset_id as key_1, '' as key_2, valid_from, valid_to, to_json("every column") as shown
  from asset_versions as "every column"
  union all
  select 'assessments', assessment_id, '', valid_from, valid_to, to_json("every column")
  from assessment_versions as "every column"
  union all
  select 'schedules', property_id, assessment_type_id, valid_from, valid_to, to_json("every column")
  from schedule_versions as "every column"
),
beside as (
  select
    events.resource,
    events.record_id,
    events.changed_at,
    any_value(shown) filter (versions.valid_to = events.changed_at) as shown_before,
    any_value(shown) filter (versions.valid_from = events.changed_at) as shown_after
  from events
  join versions using (resource, key_1, key_2)
  where versions.valid_from = events.changed_at or versions.valid_to = events.changed_at
  group by events.resource, events.record_id, events.changed_at
),
columns as (
  select
    resource,
    record_id,
    changed_at,
    unnest(list_zip(
      json_keys(shown_after), json_extract_string(shown_before, '$.*'), json_extract_string(shown_after, '$.*')
    )) as beside
  from beside
)
select resource, record_id, changed_at, beside[1] as field, beside[2] as old_value, beside[3] as new_value
from columns
where beside[2] is distinct from beside[3] and beside[1] not in ('valid_from', 'valid_to')
