-- The one set-based load; {folder} holds the records as they came, a line each.
create table asset_types as
select id as asset_type_id, name, nameSingular as name_singular, fields
from read_json('{folder}/types.json', columns = {id: 'varchar', name: 'varchar', nameSingular: 'varchar',
  fields: 'struct(id varchar, "type" varchar, "label" varchar, options struct(id varchar, "label" varchar)[])[]'});

create table assets as
select
  payload->>'$.id' as asset_id,
  payload->>'$.property' as property_id,
  payload->>'$.type' as asset_type_id,
  types.name as asset_type,
  payload
from (select json as payload from read_ndjson_objects('{folder}/assets.ndjson')) as lines
left join asset_types as types on types.asset_type_id = payload->>'$.type';

create table asset_field_values as
with results as (
  select
    id as asset_id,
    property as property_id,
    "type" as asset_type_id,
    unnest(fields) as result,
    generate_subscripts(fields, 1)::integer as position
  from read_json('{folder}/assets.ndjson', format = 'newline_delimited', columns = {id: 'varchar', property: 'varchar',
    "type": 'varchar', fields: 'struct("type" varchar, field varchar, "value" json)[]'})
),
values_told as (
  select *, result.type as kind, nullif(result.value, 'null'::json) as value from results
),
scalars as (
  select
    *,
    if(kind in ('text', 'qr', 'number', 'date', 'time'), value->>'$', null) as value_text,
    if(kind = 'option', from_json(value, '["VARCHAR"]'), null) as value_options
  from values_told
),
definitions as (
  select asset_type_id, field.id as field_id, field.label as label,
    map(list_transform(field.options, lambda option: option.id),
      list_transform(field.options, lambda option: option.label)) as labels
  from (select asset_type_id, unnest(fields) as field from asset_types)
)
select
  asset_id,
  property_id,
  scalars.asset_type_id,
  result.field as field_id,
  definitions.label,
  kind,
  position,
  value_text,
  if(kind = 'number', try_cast(value_text as double), null) as value_number,
  if(kind = 'date', try_cast(value_text as date), null) as value_date,
  if(kind = 'time', try_cast(if(length(value_text) = 5, value_text || ':00', value_text) as time), null) as value_time,
  value_options,
  list_transform(value_options, lambda option: definitions.labels[option]) as value_option_labels,
  if(kind in ('image', 'file', 'pin'), value, null) as value_json
from scalars
left join definitions
  on definitions.asset_type_id = scalars.asset_type_id and definitions.field_id = scalars.result.field;

create table assessments as
with listed as (
  select json as payload, true as performed_for, false as performed_by
  from read_ndjson_objects('{folder}/assessments_for.ndjson')
  union all
  select json, false, true from read_ndjson_objects('{folder}/assessments_by.ndjson')
),
together as (
  select payload->>'$.id' as assessment_id, any_value(payload) as payload,
    bool_or(performed_for) as performed_for, bool_or(performed_by) as performed_by
  from listed
  group by all
),
told as (
  select *, from_json(payload, '{"property": "VARCHAR", "type": "VARCHAR", "status": "VARCHAR",
    "scheduleCustomReference": "VARCHAR", "actionCount": "BIGINT", "assessor": {"id": "VARCHAR", "name": "VARCHAR"},
    "createdAt": "VARCHAR", "isRemote": "BOOLEAN", "performedDate": "VARCHAR", "score": "DOUBLE",
    "summary": "VARCHAR"}') as members
  from together
)
select
  assessment_id,
  members.property as property_id,
  members.type as assessment_type_id,
  members.status,
  members.scheduleCustomReference as schedule_custom_reference,
  performed_for,
  performed_by,
  members.actionCount as action_count,
  members.assessor.id as assessor_id,
  members.assessor.name as assessor_name,
  members.createdAt as created_at,
  members.isRemote as is_remote,
  members.performedDate as performed_date,
  members.score,
  members.summary,
  payload
from told;

create table schedules as
select
  members.property as property_id,
  members.type as assessment_type_id,
  members.status,
  try_cast(members.dueDate as date) as due_date,
  members.description,
  members.customReference as custom_reference,
  members.assignedUsers as assigned_users,
  payload
from (
  select json as payload, from_json(json, '{"property": "VARCHAR", "type": "VARCHAR", "status": "VARCHAR",
    "dueDate": "VARCHAR", "description": "VARCHAR", "customReference": "VARCHAR", "assignedUsers": ["VARCHAR"]}')
    as members
  from read_ndjson_objects('{folder}/schedules.ndjson')
);
