-- grain: record_id, issue
-- why: a type that no requirement names is never missed, and a property that is gone is required for nothing
with stated as (
  select * from staging.stated_requirements
),
orphans as (
  select distinct property_id as record_id, 'only the list has this property, the API has no record of it' as issue
  from stated
  anti join staging.api_properties using (property_id)
  where property_id is not null
  union all
  select distinct assessment_type_id, 'only the list has this type, the API no longer lists it'
  from stated
  anti join (select assessment_type_id from main.assessment_types where is_listed) using (assessment_type_id)
  union all
  select assessment_type_id, 'no requirement names this type'
  from main.assessment_types
  anti join stated using (assessment_type_id)
  where is_listed
)
select
  'requirements' as list,
  $file as file,
  null::bigint as line,
  record_id,
  issue,
  false as is_mistake,
  $run_id as run_id
from orphans
