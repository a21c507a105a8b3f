-- grain: record_id, name
-- why: a date that nobody can read leaves the assessment without one, and so does one that the API no longer sends. An
-- approval dated after today is no evidence. People need to see each
with written as (
  select assessment_id, status, {{assessment_date}} as written, staging.day_written({{assessment_date}}, $time_zone) as day_written
  from main.assessments
),
lost as (
  select assessment_id, arg_max({{assessment_date}}, valid_from) as written
  from history.assessments_earlier
  semi join (from written where written is null and staging.is_approved(status)) as undated using (assessment_id)
  where staging.is_approved(status) and staging.day_written({{assessment_date}}, $time_zone) is not null
  group by assessment_id
),
unread as (
  select assessment_id, written, 'is not a date that propsync can read' as issue
  from written
  where written is not null and day_written is null
  union all
  select assessment_id, written, 'is a date after today'
  from written
  where day_written > $today and staging.is_approved(status)
  union all
  select assessment_id, written, 'is a date that the API no longer sends' as issue
  from lost
)
select
  'assessments' as resource,
  unread.assessment_id as record_id,
  $assessment_date as name,
  unread.issue,
  unread.written as value,
  versions.run_id
from unread
join history.assessments as versions
  on versions.assessment_id = unread.assessment_id and versions.valid_to is null
