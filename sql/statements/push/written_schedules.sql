-- why: what the tables show of written schedules, to compare with the plan; a text that stands for no date is its text
select
  property_id,
  assessment_type_id,
  coalesce(due_date::varchar, payload->>'$.dueDate'),
  description,
  custom_reference,
  assigned_users,
  payload
from schedules
semi join (select unnest($properties) as property_id) as written using (property_id)
