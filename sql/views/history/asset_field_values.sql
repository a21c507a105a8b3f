-- grain: asset_id, field_id, valid_from
-- why: main.asset_field_values has the present values, and no other table repeats them; nearly all began with their asset
select
  shown.asset_id,
  shown.property_id,
  shown.asset_type_id,
  shown.field_id,
  shown.label,
  shown.kind,
  shown.position,
  shown.value_text,
  shown.value_number,
  shown.value_date,
  shown.value_time,
  shown.value_options,
  shown.value_option_labels,
  shown.value_json,
  coalesce(starts.valid_from, assets.first_seen_at) as valid_from,
  null::timestamptz as valid_to
from main.asset_field_values as shown
join main.assets as assets on assets.asset_id = shown.asset_id
left join history.asset_field_value_starts as starts
  on starts.asset_id = shown.asset_id and starts.field_id = shown.field_id
union all
select
  earlier.asset_id,
  earlier.property_id,
  earlier.asset_type_id,
  earlier.field_id,
  fields.label,
  earlier.kind,
  earlier.position,
  earlier.value_text,
  earlier.value_number,
  earlier.value_date,
  earlier.value_time,
  earlier.value_options,
  earlier.value_option_labels,
  earlier.value_json,
  earlier.valid_from,
  earlier.valid_to
from history.asset_field_values_earlier as earlier
left join main.asset_type_fields as fields
  on fields.asset_type_id = earlier.asset_type_id and fields.field_id = earlier.field_id
