-- why: types get their names in the order in which they appeared, listed ones first
select asset_type_id, name
from staging.type_appearances
order by named_at nulls last, was_listed desc, name, asset_type_id
