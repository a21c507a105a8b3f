-- why: a property that no record has, and no list names, is probably a typing error
select property_id from assets where property_id is not null
union
select property_id from schedules
union
select property_id from assessments where property_id is not null
