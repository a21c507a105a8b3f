-- why: what the tables show of written assets, to compare with the plan
select asset_id, field_id, kind, value_text, value_options, value_json, value_number is not null as is_number
from asset_field_values
semi join (select unnest($ids) as asset_id) as written using (asset_id)
