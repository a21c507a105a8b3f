-- why: a due date or a user that propsync cannot read stays in the payload alone, and is reported here
with dirty as (
  select dirty_records.record_id, due_date, payload
  from main.schedules
  join staging.dirty_records using (property_id, assessment_type_id)
),
dated as (
  select record_id, due_date, payload->>'$.dueDate' as written
  from dirty
),
users as (
  select record_id, staging.not_users(payload->'$.assignedUsers') as unread
  from dirty
)
select 'schedules' as resource, record_id, 'due_date' as name, staging.date_issue(written) as issue, written as value, $run_id as run_id
from dated
where due_date is null and written is not null
union all
select 'schedules', record_id, 'assigned_users', 'names no user', unnest(unread)::varchar, $run_id
from users
