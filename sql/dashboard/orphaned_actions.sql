-- title: Actions that nobody can follow
-- of: marts.actions
-- why: actions that were not closed when the API lost their assessment. Their state is unknown, and no number above counts them
select
  coalesce(property_label, property_name, property_id) as property,
  coalesce(type_label, assessment_type, assessment_type_id) as assessment_type,
  title as action,
  priority,
  status as last_status,
  due_date,
  responsible,
  assessment_id as assessment
from marts.actions
left join (select property_id, property_label from marts.properties) as labels using (property_id)
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
where coalesce(is_open, true) and not is_in_api
order by priority_rank nulls last, due_date, property, action
