-- title: Schedules without a due date
-- of: main.schedules
-- why: unfinished schedules without a due date, which can never become overdue
select
  coalesce(property_label, property_name, property_id) as property,
  coalesce(type_label, assessment_type, assessment_type_id) as assessment_type,
  status,
  assignees,
  last_approved_on
from marts.schedule_status
left join (select property_id, property_label from marts.properties) as labels using (property_id)
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
where due_band = 'no due date'
order by last_approved_on nulls first, property, assessment_type
