-- title: Schedules due in 30 days
-- of: main.schedules
-- why: schedules that are due from today to the 30th day from now
select
  coalesce(property_label, property_name, property_id) as property,
  coalesce(type_label, assessment_type, assessment_type_id) as assessment_type,
  due_date,
  assignees,
  status
from marts.schedule_status
left join (select property_id, property_label from marts.properties) as labels using (property_id)
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
where due_band = 'due in 30 days'
order by due_date, property, assessment_type
