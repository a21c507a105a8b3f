-- why: flags of no known form have no rows. Only a record or its list can tell a status; an assessment that no list
-- shows although its report exists has one that nobody knows
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
  where json_type(flags) not in ('ARRAY', 'OBJECT')
)
select 'assessments' as resource, assessment_id as record_id, name, issue, value, $run_id as run_id
from (
  from unknown
  union all from unread
  where value <> ''
)
