-- grain: asset_type_id, field_id
-- why: the fields that each type's latest version defines; a field defined twice keeps its first definition
with types as (
  select asset_type_id, is_listed, from_json(payload->'$.fields', '["JSON"]') as definitions
  from staging.type_definitions
),
unnested as (
  select
    asset_type_id,
    is_listed,
    unnest(definitions) as definition,
    generate_subscripts(definitions, 1)::integer as position
  from types
),
described as (
  select
    asset_type_id,
    {{field_id}} as field_id,
    definition->>'$.type' as kind,
    {{field_label}} as label,
    position,
    is_listed,
    definition as payload
  from unnested
)
select *
from described
where field_id is not null
qualify row_number() over (partition by asset_type_id, field_id order by position) = 1
