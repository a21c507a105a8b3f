-- grain: property_id
-- why: every property that the API has now: some of them only its own list names
with every_id as (
  select property_id from main.assets
  union
  select property_id from main.assessments
  union
  select property_id from main.schedules
  union
  select property_id from staging.listed_by_api where valid_to is null
)
select property_id from every_id where property_id is not null
