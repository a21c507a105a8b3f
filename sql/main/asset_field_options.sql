-- grain: asset_type_id, field_id, option_id
-- why: options are listed inside their field, as objects or as plain texts; the first of two with one id is kept
with fields as (
  select asset_type_id, field_id, from_json({{field_options}}, '["JSON"]') as options
  from main.asset_type_fields
),
unnested as (
  select asset_type_id, field_id, unnest(options) as option, generate_subscripts(options, 1) as position
  from fields
),
described as (
  select
    asset_type_id,
    field_id,
    if(json_type(option) = 'OBJECT', {{option_id}}, option->>'$') as option_id,
    if(json_type(option) = 'OBJECT', {{option_label}}, option->>'$') as label,
    position
  from unnested
)
select asset_type_id, field_id, option_id, label
from described
where option_id is not null
qualify row_number() over (partition by asset_type_id, field_id, option_id order by position) = 1
