-- why: an assessment that no list shows although its report exists has a status that nobody knows
with hidden as (
  select assessment_id
  from history.assessments
  semi join staging.dirty_records using (assessment_id)
  where valid_to is null and change not in ('delete', 'erase') and payload_hash = ''
)
select
  'assessments' as resource,
  assessment_id as record_id,
  'status' as name,
  'is in no list, though its report exists: its status is unknown' as issue,
  null::varchar as value,
  $run_id as run_id
from hidden
