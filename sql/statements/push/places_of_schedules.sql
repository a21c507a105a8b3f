-- why: the run that saw the last change of a written schedule, its status, and the status with which it began
with began as (
  select property_id, assessment_type_id, arg_max(status, valid_from) as status
  from history.schedules_typed
  where change = 'insert'
  group by property_id, assessment_type_id
)
select
  schedules.property_id,
  schedules.assessment_type_id,
  versions.run_id,
  schedules.status,
  began.status
from schedules
semi join (select unnest($properties) as property_id) as written using (property_id)
left join history.schedules as versions
  on versions.property_id = schedules.property_id
  and versions.assessment_type_id = schedules.assessment_type_id
  and versions.valid_to is null
left join began
  on began.property_id = schedules.property_id
  and began.assessment_type_id = schedules.assessment_type_id
