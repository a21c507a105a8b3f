-- grain: property_id, assessment_type_id
-- why: which assessment each property must have, as people's list says; of two rows the shorter interval counts
with stated as (
  select * from staging.stated_requirements
),
everywhere as (
  select known_properties.property_id, stated.assessment_type_id, stated.every_months
  from stated
  cross join staging.known_properties
  where stated.property_id is null and stated.column_name is null
),
at_one as (
  select property_id, assessment_type_id, every_months from stated where property_id is not null
),
where_true as (
  select matches.property_id, stated.assessment_type_id, stated.every_months
  from stated
  join staging.condition_matches as matches on matches.line = stated.line
  where matches.is_true
)
select property_id, assessment_type_id, min(every_months) as every_months, 'list' as source
from (from everywhere union all from at_one union all from where_true)
left join staging.listed_properties as listed using (property_id)
where staging.is_managed($today, managed_from, managed_until)
group by property_id, assessment_type_id
