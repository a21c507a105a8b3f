-- grain: property_id, assessment_type_id
-- why: how late the last approval was: the due date in force at the last complete read that did not show it yet. A run
-- after that may have moved it at once
with last_approvals as (
  select property_id, assessment_type_id, assessment_id, performed_on, approved_at from staging.last_approvals
),
given_again as (
  -- an approval from before the work was of an earlier round: somebody took it back, and approved the next round later. A
  -- tombstone has the last status, so a return alone is no approval. An erased version has none
  select last_approvals.assessment_id, min(versions.valid_from) as approved_at
  from last_approvals
  join history.assessments as versions using (assessment_id)
  join history.assessments as before
    on before.assessment_id = versions.assessment_id and before.valid_to = versions.valid_from
  where (last_approvals.approved_at at time zone $time_zone)::date < performed_on
    and (versions.valid_from at time zone $time_zone)::date >= performed_on
    and staging.is_approved(versions.status)
    and not coalesce(staging.is_approved(before.status), false)
    and before.change <> 'erase'
  group by last_approvals.assessment_id
),
approvals as (
  select
    property_id,
    assessment_type_id,
    coalesce(given_again.approved_at, last_approvals.approved_at) as approved_at
  from last_approvals
  left join given_again using (assessment_id)
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
