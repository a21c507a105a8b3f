-- why: the run that saw the last change of a written schedule
select schedules.property_id, schedules.assessment_type_id, versions.run_id
from schedules
semi join (select unnest($properties) as property_id) as written using (property_id)
left join history.schedules as versions
  on versions.property_id = schedules.property_id
  and versions.assessment_type_id = schedules.assessment_type_id
  and versions.valid_to is null
