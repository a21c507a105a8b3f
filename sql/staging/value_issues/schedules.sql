-- why: a due date that is not a date stays in the payload alone, and is reported here
with dated as (
  select record_id, due_date, payload->>'$.dueDate' as written
  from main.schedules
  join staging.dirty_records using (property_id, assessment_type_id)
)
select 'schedules' as resource, record_id, 'due_date' as name, 'is not a date' as issue, written as value, $run_id as run_id
from dated
where due_date is null and written is not null
