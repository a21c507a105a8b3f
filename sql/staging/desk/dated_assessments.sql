-- grain: assessment_id
-- why: an assessment is dated by the member that says when it was performed, else by the run that first saw it approved
with written as (
  select
    assessment_id,
    property_id,
    assessment_type_id,
    status,
    nullif(trim({{assessment_date}}), '') as date_written
  from main.assessments
),
approved as (
  select assessment_id, min(valid_from) as approved_at
  from history.assessments
  where status = 'approved' and change not in ('delete', 'erase')
  group by assessment_id
)
select
  assessment_id,
  property_id,
  assessment_type_id,
  status,
  approved_at,
  if(date_written is null, (approved_at at time zone $time_zone)::date, staging.day_written(date_written, $time_zone)) as performed_on,
  case
    when date_written is not null then $assessment_date
    when approved_at is not null then 'first seen approved'
  end as date_source
from written
left join approved using (assessment_id)
