-- grain: asset_type_id, field_id
-- why: a field that its type no longer defines keeps its row and its column, as last defined
with latest as (
  select * from staging.latest_fields
)
select
  asset_type_id,
  field_id,
  kind,
  label,
  position,
  names.column_name,
  is_open and is_listed as is_listed,
  staging.exact_json(definition) as payload
from latest
join staging.field_names as names using (asset_type_id, field_id)
