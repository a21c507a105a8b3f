-- grain: property_id, assessment_type_id
-- why: how late the last approval was: the due date in force before the run that saw it, which may have moved it at once
select property_id, assessment_type_id, schedules.due_date
from staging.last_approvals as approvals
join history.schedules_typed as schedules using (property_id, assessment_type_id)
where schedules.valid_from < approvals.approved_at
  and coalesce(schedules.valid_to >= approvals.approved_at, true)
  and schedules.change not in ('delete', 'erase')
