-- The one set-based load; {folder} holds the records as they came, a line each. JSON is read twice at most: once for
-- the payload, once for what is in it.
create table asset_types as
select id as asset_type_id, name, nameSingular as name_singular, fields
from read_json('{folder}/types.json', columns = {id: 'varchar', name: 'varchar', nameSingular: 'varchar',
  fields: 'struct(id varchar, "type" varchar, "label" varchar, options struct(id varchar, "label" varchar)[])[]'});

create temp table definitions as
select asset_type_id, field.id as field_id, field.label as label
from (select asset_type_id, unnest(fields) as field from asset_types);

set variable labels = (
  select map_from_entries(list(struct_pack(k := option.id, v := option.label)))
  from (select unnest(field.options) as option from (select unnest(fields) as field from asset_types))
);

create table assets as
select
  told[1] as asset_id,
  told[2] as property_id,
  told[3] as asset_type_id,
  types.name as asset_type,
  payload
from (
  select json as payload, json_extract_string(json, ['$.id', '$.property', '$.type']) as told
  from read_ndjson_objects('{folder}/assets.ndjson')
) as lines
left join asset_types as types on types.asset_type_id = told[3];

create temp table results as
select id as asset_id, property as property_id, "type" as asset_type_id, fields
from read_json('{folder}/assets.ndjson', format = 'newline_delimited', columns = {id: 'varchar', property: 'varchar',
  "type": 'varchar', fields: 'struct("type" varchar, field varchar, "value" varchar)[]'});

create table asset_field_values as
with told as (
  select asset_id, property_id, asset_type_id, unnest(fields, recursive := true),
    generate_subscripts(fields, 1)::integer as position
  from results
),
chosen as (
  select *, if("type" = 'option', string_split("value"[3:-3], '","'), null) as options
  from told
)
select
  asset_id,
  property_id,
  chosen.asset_type_id,
  field as field_id,
  definitions.label,
  "type" as kind,
  position,
  if("type" in ('text', 'qr', 'number', 'date', 'time'), "value", null) as value_text,
  if("type" = 'number', try_cast("value" as double), null) as value_number,
  if("type" = 'date', try_cast("value" as date), null) as value_date,
  if("type" = 'time', try_cast("value" || ':00' as time), null) as value_time,
  options as value_options,
  list_transform(options, lambda option: getvariable('labels')[option]) as value_option_labels,
  if("type" in ('image', 'file', 'pin'), "value", null)::json as value_json
from chosen
left join definitions on definitions.asset_type_id = chosen.asset_type_id and definitions.field_id = chosen.field;

create temp table inspected as
with listed as (
  select json as payload, true as performed_for, false as performed_by
  from read_ndjson_objects('{folder}/assessments_for.ndjson')
  union all
  select json, false, true from read_ndjson_objects('{folder}/assessments_by.ndjson')
),
told as (
  select *, from_json(payload, '{"id": "VARCHAR", "property": "VARCHAR", "type": "VARCHAR", "status": "VARCHAR",
    "scheduleCustomReference": "VARCHAR", "actionCount": "BIGINT", "assessor": {"id": "VARCHAR", "name": "VARCHAR"},
    "createdAt": "VARCHAR", "isRemote": "BOOLEAN", "performedDate": "VARCHAR", "score": "DOUBLE",
    "summary": "VARCHAR", "flags": ["JSON"]}') as members
  from listed
)
select members.id as assessment_id, any_value(members) as members, any_value(payload) as payload,
  bool_or(performed_for) as performed_for, bool_or(performed_by) as performed_by
from told
group by all;

create table assessments as
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
from inspected;

create temp table flagged as
with flags as (
  select assessment_id, unnest(members.flags) as payload, generate_subscripts(members.flags, 1) as flag_position
  from inspected
)
select *, from_json(payload, '{"type": "VARCHAR", "label": "VARCHAR", "priority": "VARCHAR", "status": "VARCHAR",
  "raisedAt": "VARCHAR", "closedAt": "VARCHAR", "history": ["JSON"]}') as members
from flags;

create table assessment_flags as
select
  assessment_id,
  flag_position,
  members.type,
  members.label,
  members.priority,
  members.status,
  members.raisedAt as raised_at,
  members.closedAt as closed_at,
  payload
from flagged;

create table assessment_flag_history as
with entries as (
  select assessment_id, flag_position, unnest(members.history) as payload,
    generate_subscripts(members.history, 1) as position
  from flagged
),
told as (
  select *, from_json(payload, '{"at": "VARCHAR", "status": "VARCHAR", "by": "VARCHAR"}') as members from entries
)
select assessment_id, flag_position, position, members.at, members.status, members.by, payload from told;

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
