-- why: flags of no known form have no rows, nor has a history that is no list. Only a record or its list can tell a
-- status; an assessment that no list shows although its report exists has one that nobody knows. One may also lack each
-- member that holds the property or type of others; a null there is an answer
with dirty as (
  select assessment_id, status, payload_hash = '' as is_hidden, payload->'$."flags"' as flags
  from history.assessments
  semi join staging.dirty_records using (assessment_id)
  where valid_to is null and change not in ('delete', 'erase')
),
unknown as (
  select
    assessment_id,
    'status' as name,
    if(
      is_hidden,
      'is in no list, though its report exists: its status is unknown',
      'is missing, and its list is of several statuses'
    ) as issue,
    null::varchar as value
  from dirty
  where is_hidden or status is null
),
unread as (
  select
    assessment_id,
    'flags' as name,
    'is neither an array nor an object of flags' as issue,
    flags->>'$' as value
  from dirty
  where
    json_type(flags) not in ('ARRAY', 'OBJECT')
    or list_bool_or(
      list_transform(staging.entries(flags), lambda flag: json_type(flag) = 'ARRAY' and json_array_length(flag) > 0)
    )
),
places as (
  select part, unnest(from_json(paths, '[["VARCHAR"]]')) as path
  from ops.shapes
  where resource = 'assessments' and part in ('property', 'type', 'flag_history')
),
pointers as (
  -- a JSON pointer takes members by any name
  select
    part,
    '/' || replace(replace(replace(array_to_string(path, chr(31)), '~', '~0'), '/', '~1'), chr(31), '/') as pointer
  from places
),
histories as (
  select
    assessment_id,
    flag_position,
    if(
      staging.is_numbered(json_extract(assessment_flags.payload, pointers.pointer)),
      'ARRAY',
      json_type(assessment_flags.payload, pointers.pointer)
    ) as kind,
    json_extract_string(assessment_flags.payload, pointers.pointer) as value
  from main.assessment_flags
  semi join staging.dirty_records using (assessment_id)
  join pointers on pointers.part = 'flag_history'
),
without_history as (
  select
    assessment_id,
    'history of flag ' || flag_position as name,
    'is no array of entries' as issue,
    any_value(value) filter (kind not in ('ARRAY', 'NULL')) as value
  from histories
  group by assessment_id, flag_position
  having not coalesce(bool_or(kind = 'ARRAY'), false)
),
without_role as (
  select assessment_id, unnest(['property', 'type']) as part, unnest([property_id, assessment_type_id]) as id, payload
  from main.assessments
  semi join staging.dirty_records using (assessment_id)
  where property_id is null or assessment_type_id is null
),
misplaced as (
  select assessment_id, part as name, 'is not where other records have it' as issue, null::varchar as value
  from without_role
  join pointers using (part)
  where id is null
  group by assessment_id, part
  having not coalesce(bool_or(json_type(payload, pointer) in ('NULL', 'VARCHAR')), false)
)
select 'assessments' as resource, assessment_id as record_id, name, issue, value, $run_id as run_id
from (
  from unknown
  union all from unread
  where value <> ''
  union all from without_history
  where value <> ''
  union all from misplaced
)
