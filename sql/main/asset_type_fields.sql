-- grain: asset_type_id, field_id
-- why: a field that its type no longer defines keeps its row and its column, as last defined
with versions as (
  select * from staging.field_versions
),
latest as (
  select *
  from versions
  qualify row_number() over (partition by asset_type_id, field_id order by valid_from desc) = 1
)
select
  asset_type_id,
  field_id,
  kind,
  label,
  position,
  names.column_name,
  is_open and is_listed as is_listed,
  payload
from latest
join staging.field_names as names using (asset_type_id, field_id)
