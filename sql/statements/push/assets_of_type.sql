-- why: the rows of a template, all in one order so that two templates of the same values are equal
select asset_id, property_id
from assets
where asset_type_id = $type and ($properties is null or property_id in (select unnest($properties)))
order by property_id, asset_id
