-- grain: assessment_id
-- why: an assessment is dated by the member that says when it was performed. Without one, or one that nobody can read, it is
-- dated by the run that first saw it approved
with written as (
  select
    assessment_id,
    property_id,
    assessment_type_id,
    status,
    staging.day_written({{assessment_date}}, $time_zone) as day_written
  from main.assessments
),
approved as (
  select assessment_id, min(valid_from) as approved_at
  from history.assessments
  where staging.is_approved(status) and change not in ('delete', 'erase')
  group by assessment_id
)
select
  assessment_id,
  property_id,
  assessment_type_id,
  status,
  approved_at,
  coalesce(day_written, (approved_at at time zone $time_zone)::date) as performed_on,
  case
    when day_written is not null then $assessment_date
    when approved_at is not null then 'first seen approved'
  end as date_source
from written
left join approved using (assessment_id)
