-- grain: property_id
-- why: every property that the API or people's list has now
select property_id from staging.api_properties
union
select property_id from staging.listed_properties
