-- title: Nobody assigned
-- of: marts.schedule_assignees
-- why: unfinished schedules that nobody is to carry out, the earliest due date first
select coalesce(property_name, property_id) as property, assessment_type, due_date, days_overdue, status
from marts.schedule_assignees
where not is_assigned
order by due_date nulls last, property, assessment_type
