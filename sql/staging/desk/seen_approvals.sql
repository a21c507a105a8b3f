-- grain: assessment_id, property_id, assessment_type_id
-- why: every approval that propsync ever saw. One that is gone dates what happened then, though it is no evidence now
with closed as (
  select assessment_id, valid_from
  from history.assessments
  where valid_to is not null and staging.is_approved(status) and change not in ('delete', 'erase')
),
approved as (
  select assessment_id, property_id, assessment_type_id, {{assessment_date}} as date_written, valid_from, false as is_present
  from history.assessments_earlier
  semi join closed using (assessment_id, valid_from)
  union all
  select assessment_id, property_id, assessment_type_id, {{assessment_date}}, changed_at, true
  from main.assessments
  where staging.is_approved(status)
),
seen as (
  select
    assessment_id,
    property_id,
    assessment_type_id,
    min(valid_from) as approved_at,
    max(valid_from) as latest_at,
    bool_or(is_present) as is_present,
    arg_max(staging.day_written(date_written, $time_zone), valid_from) as day_written
  from approved
  group by assessment_id, property_id, assessment_type_id
)
select
  * exclude (day_written),
  day_written is not null as has_date,
  coalesce(day_written, (approved_at at time zone $time_zone)::date) as performed_on
from seen
