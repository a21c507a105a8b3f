-- why: a requirement can name any property that the API has or has had; any other id is a typing error
select property_id from main.assets where property_id is not null
union
select property_id from main.assessments where property_id is not null
union
select property_id from history.schedules
union
select property_id from staging.listed_by_api
