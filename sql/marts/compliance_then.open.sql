-- grain: day, property_id, assessment_type_id
-- why: the properties behind the counts of earlier days, so that somebody can show who was out of date on 31 March
with days as (
  select * from staging.counted_days where staging.has_properties(day, is_year_end, $today)
)
select
  day,
  is_month_end,
  is_year_end,
  property_id,
  properties.name as property_name,
  properties.region,
  properties.homes,
  assessment_type_id,
  types.name as assessment_type,
  state,
  due_date,
  last_approved_on,
  last_assessment_id,
  every_months,
  coalesce(verdict, 'not read') as verdict,
  complete_on as complete_read_on,
  basis
from staging.compliance_then
join days using (day)
left join staging.reads_on_days using (day)
left join staging.listed_properties as properties using (property_id)
left join (select assessment_type_id, name from main.assessment_types) as types using (assessment_type_id)
