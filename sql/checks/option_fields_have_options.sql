-- severity: warn
-- why: an option field without options suggests that propsync did not find the shape of option lists
select asset_type_id, field_id
from main.asset_type_fields
anti join (from main.asset_field_options where is_listed) as offered using (asset_type_id, field_id)
where kind = 'option' and is_listed
