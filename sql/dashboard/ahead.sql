-- title: Due in the next 90 days
-- of: marts.schedule_assignees
-- why: who has which assessment due in the next 90 days; an assessment of two people has two rows
select
  date_trunc('week', due_date)::date as week_from,
  due_date,
  if(user_name is null, coalesce('user ' || user_id, 'nobody'), user_label) as assignee,
  team,
  coalesce(property_label, property_name, property_id) as property,
  coalesce(type_label, assessment_type, assessment_type_id) as assessment_type
from marts.schedule_assignees
left join (select property_id, property_label from marts.properties) as labels using (property_id)
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
where due_band in ('due in 30 days', 'due in 60 days', 'due in 90 days')
order by due_date, assignee, property, assessment_type
