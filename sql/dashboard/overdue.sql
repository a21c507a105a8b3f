-- title: Schedules overdue
-- of: main.schedules
-- why: schedules whose due date has passed, the longest overdue first
select
  coalesce(property_label, property_name, property_id) as property,
  coalesce(type_label, assessment_type, assessment_type_id) as assessment_type,
  due_date,
  days_overdue,
  assignees,
  status
from marts.schedule_status
left join (select property_id, property_label from marts.properties) as labels using (property_id)
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
where due_band = 'overdue'
order by days_overdue desc, property, assessment_type
