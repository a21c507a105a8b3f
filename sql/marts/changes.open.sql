-- grain: changed_at, resource, record_id, field
-- why: one row an event and field; an event without field detail, such as a new record, is one row without a field
with events as (
  select * from staging.change_events
),
details as (
  select
    resource,
    record_id,
    changed_at,
    field,
    replace(field, '_', ' ') as label,
    old_value,
    new_value,
    null::varchar[] as old_option_ids,
    null::varchar[] as new_option_ids
  from staging.changed_columns
  union all
  select resource, record_id, changed_at, field, field, null, null, null, null from staging.changed_members
  union all
  select
    'assets', record_id, changed_at, field, fields.label, old_value, new_value, old_option_ids, new_option_ids
  from staging.changed_values as changed
  left join main.asset_type_fields as fields on fields.asset_type_id = changed.type_id and fields.field_id = changed.field
)
select
  changed_at,
  resource,
  record_id,
  property_id,
  type_id,
  type,
  change,
  field,
  label,
  old_value,
  new_value,
  old_option_ids,
  new_option_ids,
  is_first_load,
  run_id
from events
left join details using (resource, record_id, changed_at)
