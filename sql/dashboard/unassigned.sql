-- title: Schedules with nobody assigned
-- of: main.schedules
-- why: unfinished schedules that nobody is to carry out, the earliest due date first
select
  coalesce(property_label, property_name, property_id) as property,
  coalesce(type_label, assessment_type, assessment_type_id) as assessment_type,
  due_date,
  days_overdue,
  status
from marts.schedule_assignees
left join (select property_id, property_label from marts.properties) as labels using (property_id)
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
where not is_assigned
order by due_date nulls last, property, assessment_type
