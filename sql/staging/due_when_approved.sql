-- grain: property_id, assessment_type_id
-- why: how late the last approval was: the due date in force at the last complete read that did not show it yet. A run
-- after that may have moved it at once
with approvals as (
  select property_id, assessment_type_id, approved_at from staging.last_approvals
),
unapproved as (
  select property_id, assessment_type_id, read_at
  from approvals
  asof join staging.assessment_reads as reads on approvals.approved_at > reads.read_at
)
select property_id, assessment_type_id, schedules.due_date
from unapproved
join history.schedules_typed as schedules using (property_id, assessment_type_id)
where schedules.valid_from <= unapproved.read_at
  and coalesce(schedules.valid_to > unapproved.read_at, true)
  and schedules.change not in ('delete', 'erase')
