-- grain: property_id
-- why: every property that the API or people's list has now
with every_id as (
  select property_id from main.assets
  union
  select property_id from main.assessments
  union
  select property_id from main.schedules
  union
  select property_id from staging.listed_properties
)
select property_id from every_id where property_id is not null
