-- grain: record_id, name
-- why: a date that nobody can read leaves the assessment without one, and people need to see it
with written as (
  select assessment_id, {{assessment_date}} as written
  from main.assessments
),
unread as (
  select assessment_id, written
  from written
  where written is not null and staging.day_written(written, $time_zone) is null
)
select
  'assessments' as resource,
  unread.assessment_id as record_id,
  $assessment_date as name,
  'is not a date that propsync can read' as issue,
  unread.written as value,
  versions.run_id
from unread
join history.assessments as versions
  on versions.assessment_id = unread.assessment_id and versions.valid_to is null
