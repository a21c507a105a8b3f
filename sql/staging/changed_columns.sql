-- grain: resource, record_id, changed_at, field
-- why: the columns in which two versions that follow one another differ; users are a set
with events as (
  select * from staging.change_events where change = 'changed'
),
beside as (
  select
    events.resource,
    events.record_id,
    events.changed_at,
    versions.valid_from = events.changed_at as is_new,
    to_json(versions) as shown
  from events
  join (
    select * exclude (asset_type, first_seen_at, changed_at, change, run_id, payload)
    from history.assets_typed
  ) as versions on versions.asset_id = events.key_1
  where events.resource = 'assets' and (versions.valid_from = events.changed_at or versions.valid_to = events.changed_at)
  union all
  select
    events.resource,
    events.record_id,
    events.changed_at,
    versions.valid_from = events.changed_at as is_new,
    to_json(versions) as shown
  from events
  join (
    select * exclude (first_seen_at, changed_at, change, run_id, payload)
    from history.assessments_typed
  ) as versions on versions.assessment_id = events.key_1
  where events.resource = 'assessments' and (versions.valid_from = events.changed_at or versions.valid_to = events.changed_at)
  union all
  select
    events.resource,
    events.record_id,
    events.changed_at,
    versions.valid_from = events.changed_at as is_new,
    to_json(versions) as shown
  from events
  join (
    select
      * exclude (first_seen_at, changed_at, change, run_id, payload)
      replace (array_to_string(list_sort(list_distinct(assigned_users)), '; ') as assigned_users)
    from history.schedules_typed
  ) as versions on versions.property_id = events.key_1 and versions.assessment_type_id = events.key_2
  where events.resource = 'schedules' and (versions.valid_from = events.changed_at or versions.valid_to = events.changed_at)
),
columns as (
  select * exclude (shown, field), field, json_extract_string(shown, '$."' || field || '"') as value
  from (select *, unnest(json_keys(shown)) as field from beside)
  where field not in ('valid_from', 'valid_to')
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
