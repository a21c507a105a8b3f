-- why: a due date that no calendar has is known by its text alone
select
  property_id,
  assessment_type_id,
  status,
  coalesce(due_date::varchar, payload->>'$.dueDate'),
  description,
  custom_reference,
  assigned_users
from schedules
where
  ($properties is null or property_id in (select unnest($properties)))
  and ($types is null or assessment_type_id in (select unnest($types)))
order by property_id, assessment_type_id
