-- grain: day, property_id, assessment_type_id
-- why: the standing on each day to count: today's as the mart has it, the others as known then
with listed as (
  select property_id, region, homes from staging.listed_properties
)
select $today as day, property_id, assessment_type_id, region, homes, state
from marts.compliance
union all
select day, property_id, assessment_type_id, region, homes, state
from staging.compliance_then
left join listed using (property_id)
