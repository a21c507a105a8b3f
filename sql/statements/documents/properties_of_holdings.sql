-- why: an export refuses properties without any stored document
select distinct property_id from ({{holdings}}) where property_id is not null
