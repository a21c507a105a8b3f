-- why: a value that does not fit its kind is kept as text or JSON and told here; so is what had to be left out
with values as not materialized (
  select *
  from main.asset_field_values
  semi join staging.dirty_assets using (asset_id)
),
misfits as (
  select asset_id, coalesce(label, field_id) as name, 'does not fit the kind ' || kind as issue, coalesce(value_text, value_json::varchar) as value
  from values
  where
    (kind = 'number' and value_number is null and (value_text is not null or value_json is not null))
    or (kind = 'date' and value_date is null and (value_text is not null or value_json is not null))
    or (kind = 'time' and value_time is null and (value_text is not null or value_json is not null))
    or (kind = 'option' and value_options is null and (value_text is not null or value_json is not null))
    or (kind in ('text', 'qr') and value_json is not null)
),
other_kinds as (
  select
    values.asset_id,
    coalesce(values.label, values.field_id) as name,
    'is of the kind ' || values.kind || ', its field of the kind ' || fields.kind as issue,
    coalesce(values.value_text, values.value_json::varchar, to_json(values.value_options)::varchar) as value
  from values
  join main.asset_type_fields as fields using (asset_type_id, field_id)
  where
    values.kind <> fields.kind
    and fields.kind in ('number', 'option', 'image', 'file', 'pin', 'qr')
    and coalesce(values.value_text, values.value_json::varchar, to_json(values.value_options)::varchar) is not null
),
unknown_options as (
  select asset_id, coalesce(label, field_id) as name, 'names an option that its field does not offer' as issue, to_json(value_options)::varchar as value
  from values
  where list_count(value_option_labels) < len(value_options)
),
repeats as (
  select asset_id, field_id as name, 'the same field twice: the first is kept' as issue, value::varchar as value
  from staging.asset_results
  join staging.repeated_results using (asset_id, field_id)
  where position > first_position
),
unreferred as (
  select asset_id, 'field result ' || position as name, 'names no field' as issue, value::varchar as value
  from staging.asset_results
  where field_id is null
)
select 'assets' as resource, asset_id as record_id, name, issue, value, $run_id as run_id
from (
  from misfits
  union all from other_kinds
  union all from unknown_options
  union all from repeats
  union all from unreferred
)
