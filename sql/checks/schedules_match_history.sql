-- severity: fail
-- why: a current table holds exactly the latest versions that are not gone
with latest as (
  select property_id, assessment_type_id from history.schedules where valid_to is null and change <> 'delete'
),
kept as (
  select property_id, assessment_type_id from main.schedules
)
select property_id, assessment_type_id
from latest
full join kept using (property_id, assessment_type_id)
where latest.property_id is null or kept.property_id is null
