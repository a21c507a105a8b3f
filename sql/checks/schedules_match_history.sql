-- severity: fail
-- why: a current table holds exactly the latest versions that are not gone
with latest as (
  select property_id, assessment_type_id from history.schedules where valid_to is null and change <> 'delete'
)
(select property_id, assessment_type_id from latest except all select property_id, assessment_type_id from main.schedules)
union all
(select property_id, assessment_type_id from main.schedules except all select property_id, assessment_type_id from latest)
