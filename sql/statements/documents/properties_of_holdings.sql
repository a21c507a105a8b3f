-- why: an export refuses properties of which nothing is stored
select distinct property_id from ({{holdings}}) where property_id is not null
