-- title: Worst first
-- of: marts.compliance
-- why: required assessments that are not in date: most days past their date first, then the unknown, large buildings first
select
  coalesce(property_label, property_name, property_id) as property,
  coalesce(type_label, assessment_type, assessment_type_id) as assessment_type,
  state,
  due_date,
  reason,
  homes,
  case when date_source = 'first seen approved' then date_source when date_source is not null then 'the assessment' end as date_from,
  if(verdict in ('certified', 'agreed'), 'complete', verdict) as last_read
from marts.compliance
left join (select property_id, property_label from marts.properties) as labels using (property_id)
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
where state in ('out of date', 'unknown')
order by state, due_date, homes desc nulls last, property, assessment_type
