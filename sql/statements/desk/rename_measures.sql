-- why: as in compliance_days, a title has the present name of its type. `assessment_types` keeps the name of that day
update marts.measures as counts
set title = concat(types.label, ' in date')
from (select assessment_type_id, coalesce(name, assessment_type_id) as label from main.assessment_types) as types
where counts.measure = concat(counts.unit, ' in date: ', types.assessment_type_id)
  and counts.title is distinct from concat(types.label, ' in date')
