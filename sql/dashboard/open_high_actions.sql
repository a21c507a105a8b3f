-- title: Open actions of high priority
-- of: marts.actions
-- why: actions as urgent as high or more, unless they are closed. An action without a state or a rank counts. Assessments
-- without a bundle have none here: approved_without_bundle of marts.properties counts them. So each new bundle can add some
select
  coalesce(property_label, property_name, property_id) as property,
  coalesce(type_label, assessment_type, assessment_type_id) as assessment_type,
  title as action,
  priority,
  state,
  due_date,
  days_overdue,
  responsible
from marts.actions
left join (select property_id, property_label from marts.properties) as labels using (property_id)
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
where coalesce(is_open, true)
  and is_in_api
  and coalesce(priority_rank, 1) <= coalesce((
    select nullif(list_position(string_split(replace(value, ' ', ''), ','), 'high'), 0)
    from ops.desk
    where setting = 'priority_order'
  ), 2)
order by priority_rank nulls first, days_overdue desc nulls last, property, action
