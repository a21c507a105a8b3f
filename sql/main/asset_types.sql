-- grain: asset_type_id
-- why: the types with their permanent table names; a type that assets name and no list shows has a row too, unlisted
with definitions as (
  select * from staging.type_definitions
)
select
  asset_type_id,
  name,
  name_singular,
  names.table_name,
  is_listed,
  definitions.payload as payload{{open_columns}}
from definitions
join staging.type_names as names using (asset_type_id)
