-- why: a member with values that are ids of properties names a property
select property_id from {{present}} as present where property_id is not null
