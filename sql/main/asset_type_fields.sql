-- grain: asset_type_id, field_id
-- why: a field that its type no longer defines keeps its row and its column, as last defined
with defined as (
  select * from staging.field_definitions
),
before as (
  select * from staging.previous_fields
),
kept as (
  select asset_type_id, field_id, kind, label, position, false as is_listed, payload
  from before
  anti join defined using (asset_type_id, field_id)
),
together as (
  select asset_type_id, field_id, kind, label, position, is_listed, payload from defined
  union all
  select asset_type_id, field_id, kind, label, position, is_listed, payload from kept
)
select
  asset_type_id,
  field_id,
  kind,
  label,
  position,
  names.column_name,
  is_listed,
  payload
from together
join staging.field_names as names using (asset_type_id, field_id)
