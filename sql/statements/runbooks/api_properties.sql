-- why: doctor compares people's list of properties with these: a list with other ids fits no record
select property_id
from marts.properties
where in_api
