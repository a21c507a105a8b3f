-- grain: assessment_id
-- why: the latest version of each assessment that is not gone, with the facts of its lists
with versions as (
  select *, json_extract(readable, {{record_members}}) as members
  from staging.readable_versions
),
earlier as (
  -- few records have one: a join with all of them would hold every payload
  select assessment_id, min(valid_from) as first_seen_at
  from history.assessments
  semi join staging.dirty_records using (assessment_id)
  where valid_to is not null
  group by assessment_id
)
select
  assessment_id,
  {{property}} as property_id,
  {{type}} as assessment_type_id,
  status,
  staging.exact_text(readable->>'$.scheduleCustomReference') as schedule_custom_reference,
  performed_for,
  performed_by,
  coalesce(first_seen_at, valid_from) as first_seen_at,
  valid_from as changed_at,
  payload{{open_columns}}
from versions
left join earlier using (assessment_id)
