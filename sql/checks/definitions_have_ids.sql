-- severity: warn
-- why: a definition without an id, or with the id of another one of its type, has no row, and its values have no label
select asset_type_id, name, definitions, fields
from (
  select asset_type_id, name, json_array_length(payload->'$.fields') as definitions
  from main.asset_types
  where is_listed
)
left join (
  select asset_type_id, count(*) as fields
  from main.asset_type_fields
  where is_listed
  group by asset_type_id
) using (asset_type_id)
where definitions > coalesce(fields, 0)
order by asset_type_id
