-- why: a file from before may show a schedule that a colleague has changed or deleted since
select
  property_id,
  assessment_type_id,
  status,
  coalesce(due_date::varchar, payload->>'$.dueDate'),
  description,
  custom_reference,
  assigned_users,
  valid_from,
  valid_to
from history.schedules_typed
where
  property_id in (select unnest($properties))
  and valid_to is not null
  and ($at is null or valid_to > $at)
  and change in ('insert', 'update')
order by valid_from
