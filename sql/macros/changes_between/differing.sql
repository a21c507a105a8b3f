-- why: fields whose values differ, with their labels and times
labels as (
  -- by the type that the asset has now, else by its earlier one
  select record_id, field_id, arg_max(label, valid_from) as label
  from roles
  join main.asset_type_fields as fields on fields.asset_type_id = named_id
  where resource = 'assets' and part = 'type'
  group by record_id, field_id
),
differing as (
  select compared.*, label, field_changed_at
  from compared
  left join alike
    on alike.resource = compared.resource
    and alike.record_id = compared.record_id
    and alike.is_result = compared.is_result
    and alike.field = compared.field
  left join dated
    on dated.resource = compared.resource
    and dated.record_id = compared.record_id
    and dated.is_result = compared.is_result
    and dated.field = compared.field
  left join labels
    on compared.is_result and labels.record_id = compared.record_id and labels.field_id = compared.field
  where alike.field is null
)
