-- why: as in compliance_days, a title has the present name of its type. `assessment_types` keeps the name of that day
update marts.measures as counts
set title = concat(types.name, ' in date')
from main.assessment_types as types
where counts.measure = concat(counts.unit, ' in date: ', types.assessment_type_id)
  and counts.title is distinct from concat(types.name, ' in date')
