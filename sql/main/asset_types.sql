-- grain: asset_type_id
-- why: the types with the table names that they keep; one that assets name and no list shows is there too, unlisted
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
