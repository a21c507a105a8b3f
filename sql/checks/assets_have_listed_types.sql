-- severity: warn
-- why: an asset of a type that the API does not list has no labels
select asset_id, asset_type_id
from main.assets
anti join (select asset_type_id from main.asset_types where is_listed) using (asset_type_id)
