-- why: a value that does not fit its kind stays as text or JSON and is reported here; so is every value left out.
-- The property or the results of an asset may also be where propsync does not look
with judged as (
  select
    recorded.asset_id,
    recorded.asset_type_id,
    recorded.field_id,
    coalesce(recorded.label, recorded.field_id) as name,
    recorded.kind,
    fields.kind as field_kind,
    recorded.value_text,
    recorded.value_json,
    recorded.value_options,
    case recorded.kind
      when 'number' then recorded.value_number is null
      when 'date' then recorded.value_date is null
      when 'time' then recorded.value_time is null
      when 'option' then recorded.value_options is null
      when 'text' then recorded.value_json is not null
      when 'qr' then recorded.value_json is not null
    end and (recorded.value_text is not null or recorded.value_json is not null) as is_misfit,
    recorded.kind <> fields.kind and fields.kind in ('number', 'option', 'image', 'file', 'pin', 'qr') as is_of_other_kind,
    list_count(recorded.value_option_labels) < len(recorded.value_options) as is_unknown_option
  from main.asset_field_values as recorded
  semi join staging.dirty_records as dirty on dirty.asset_id = recorded.asset_id
  left join main.asset_type_fields as fields
    on fields.asset_type_id = recorded.asset_type_id and fields.field_id = recorded.field_id
),
suspects as (
  select
    *,
    coalesce(value_text, value_json::varchar, to_json(value_options)::varchar) as value
  from judged
  where is_misfit or is_of_other_kind or is_unknown_option
),
misfits as (
  select asset_id, name, 'does not fit the kind ' || kind as issue, value
  from suspects
  where is_misfit
),
other_kinds as (
  select asset_id, name, 'is of the kind ' || kind || ', its field of the kind ' || field_kind as issue, value
  from suspects
  where is_of_other_kind and value is not null
),
offered as (
  select asset_type_id, field_id, list(option_id) as option_ids from main.asset_field_options group by asset_type_id, field_id
),
unknown_options as (
  select
    asset_id,
    name,
    'names an option ' || if(list_has_all(option_ids, value_options), 'without a label', 'that its field does not offer') as issue,
    to_json(value_options)::varchar as value
  from suspects
  left join offered using (asset_type_id, field_id)
  where is_unknown_option
),
repeats as (
  select asset_id, field_id as name, 'the same field twice: the first is kept' as issue, staging.exact_json(value)::varchar as value
  from staging.asset_results
  join staging.repeated_results using (asset_id, field_id)
  where position > first_position
),
unreferred as (
  select
    asset_id,
    if(position = 0, 'fields', 'field result ' || position) as name,
    if(position = 0, 'is neither an array nor an object of field results', 'names no field') as issue,
    staging.exact_json(value)::varchar as value
  from staging.asset_results
  where field_id is null
),
unread as (
  select
    asset_id,
    field_id as name,
    'has no value where propsync expects one' as issue,
    staging.exact_json(unread)::varchar as value
  from staging.asset_results
  where unread is not null
),
untyped as (
  select
    asset_id,
    field_id as name,
    'has no type' || coalesce(': it is read as its field''s kind, ' || kind, ', and no definition says its field''s kind') as issue,
    staging.exact_json(value)::varchar as value
  from staging.asset_results
  where is_untyped and field_id is not null
),
misplaced as (
  -- a null there is an answer
  select asset_id, 'property' as name, 'is not where other records have it' as issue, null::varchar as value
  from main.assets
  semi join staging.dirty_records using (asset_id)
  where property_id is null
    and coalesce(json_type(payload, '$."property"'), '') not in ('NULL', 'VARCHAR')
    and exists (select 1 from main.assets where property_id is not null)
),
without_results as (
  -- without a row of results. Only these payloads are read
  select rowid as place
  from main.assets
  semi join staging.dirty_records using (asset_id)
  where asset_id not in (select asset_id from staging.asset_results where position <= 1)
),
members as (
  select asset_id, asset_type_id, payload, unnest(json_keys(payload)) as name
  from main.assets
  where rowid in (select place from without_results)
),
beside as (
  select asset_id, asset_type_id, name, json_extract(payload, staging.pointer(name)) as held
  from members
  where name <> 'fields'
),
elsewhere as (
  -- an object keyed by field, as in a write (API §2.3), or results in another array
  select asset_id, name, 'names fields, and propsync reads results from fields alone' as issue, held::varchar as value
  from beside
  join (select asset_type_id, list(field_id) as field_ids from main.asset_type_fields group by asset_type_id) using (asset_type_id)
  where case json_type(held)
    when 'OBJECT' then list_has_any(json_keys(held), field_ids)
    when 'ARRAY' then list_has_any(json_extract_string(held, '$[*].*'), field_ids)
  end
)
select 'assets' as resource, asset_id as record_id, name, issue, value, $run_id as run_id
from (
  from misfits
  union all from other_kinds
  union all from unknown_options
  union all from repeats
  union all from unreferred
  union all from unread
  union all from untyped
  union all from misplaced
  union all from elsewhere
)
