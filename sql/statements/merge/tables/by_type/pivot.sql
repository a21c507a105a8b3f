-- why: aggregates take time and memory with the square of the number of fields, and a pivot does not
from (
  select asset_id, field_id, {{value}} as value from field_values where field_id in ({{fields}})
)
pivot (any_value(value) for field_id in ({{named}}) group by asset_id)
