-- grain: property_id, assessment_type_id
-- why: requirements that a property may have: the list of properties lacks the value that their condition compares
with conditions as (
  select line, assessment_type_id, column_name, every_months
  from staging.stated_requirements
  where column_name is not null
),
unjudged as (
  select known_properties.property_id, conditions.assessment_type_id, column_name, conditions.every_months, required.source is not null as is_required
  from conditions
  cross join staging.known_properties
  left join staging.condition_matches as matches on matches.line = conditions.line and matches.property_id = known_properties.property_id
  left join staging.required as required
    on required.property_id = known_properties.property_id and required.assessment_type_id = conditions.assessment_type_id
  left join staging.listed_properties as listed on listed.property_id = known_properties.property_id
  where matches.is_true is null
    and staging.is_managed($today, managed_from, managed_until)
    -- one that is required as often, whatever the value, leaves nothing open
    and (required.source is null or conditions.every_months < coalesce(required.every_months, 2147483647))
)
select
  property_id,
  assessment_type_id,
  string_agg(distinct column_name, ' and ' order by column_name) as lacking,
  min(every_months) as every_months,
  bool_and(is_required) as is_required
from unjudged
group by property_id, assessment_type_id
