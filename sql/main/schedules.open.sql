-- grain: property_id, assessment_type_id
-- why: the latest version of each schedule that is not gone
with versions as (
  select *, json_extract(readable, {{record_members}}) as members
  from staging.readable_versions
),
earlier as (
  -- few records have one: a join with all of them would hold every payload
  select property_id, assessment_type_id, min(valid_from) as first_seen_at
  from history.schedules
  semi join staging.dirty_records using (property_id, assessment_type_id)
  where valid_to is not null
  group by property_id, assessment_type_id
)
select
  property_id,
  assessment_type_id,
  {{status}} as status,
  staging.calendar_day(staging.without_midnight(payload->>'$.dueDate')) as due_date,
  staging.exact_text(readable->>'$.description') as description,
  staging.exact_text(readable->>'$.customReference') as custom_reference,
  staging.user_ids(readable->'$.assignedUsers') as assigned_users,
  coalesce(first_seen_at, valid_from) as first_seen_at,
  valid_from as changed_at,
  payload{{open_columns}}
from versions
left join earlier using (property_id, assessment_type_id)
