-- why: only a record or its list can tell a status; an assessment that no list shows although its report exists has one
-- that nobody knows
with unknown as (
  select assessment_id, payload_hash = '' as is_hidden
  from history.assessments
  semi join staging.dirty_records using (assessment_id)
  where valid_to is null and change not in ('delete', 'erase') and (payload_hash = '' or status is null)
)
select
  'assessments' as resource,
  assessment_id as record_id,
  'status' as name,
  if(
    is_hidden,
    'is in no list, though its report exists: its status is unknown',
    'is missing, and its list is of several statuses'
  ) as issue,
  null::varchar as value,
  $run_id as run_id
from unknown
