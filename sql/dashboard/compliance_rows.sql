-- title: Required assessments
-- of: marts.compliance
-- why: the 60 worst of each type, those out of date first, then the unknown
select
  coalesce(property_label, property_name, property_id) as property,
  state,
  due_date,
  last_approved_on,
  case when date_source = 'first seen approved' then date_source when date_source is not null then 'the assessment' end as date_from,
  reason,
  homes,
  if(verdict in ('certified', 'agreed'), 'complete', verdict) as last_read,
  assessment_type_id
from marts.compliance
left join (select property_id, property_label from marts.properties) as labels using (property_id)
qualify row_number() over (
  partition by assessment_type_id
  order by row(list_position(['out of date', 'unknown', 'due soon', 'in date'], state), due_date, property_id)
) <= 60
order by
  assessment_type_id,
  list_position(['out of date', 'unknown', 'due soon', 'in date'], state),
  due_date,
  property_id
