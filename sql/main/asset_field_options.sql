-- grain: asset_type_id, field_id, option_id
-- why: a field lists its options as objects or as plain texts, in an array or in an object keyed by their ids. If two
-- have one id, the first counts
with fields as (
  select asset_type_id, field_id, {{field_options}} as options
  from staging.latest_fields
),
unnested as (
  select
    asset_type_id,
    field_id,
    unnest(staging.entries(options)) as option,
    unnest(staging.entry_names(options)) as name,
    generate_subscripts(staging.entries(options), 1) as position
  from fields
),
described as (
  select
    asset_type_id,
    field_id,
    if(json_type(option) = 'OBJECT', {{option_id}}, staging.exact_text(coalesce(name, option->>'$'))) as option_id,
    if(json_type(option) = 'OBJECT', {{option_label}}, staging.exact_text(option->>'$')) as label,
    position
  from unnested
)
select asset_type_id, field_id, option_id, label
from described
where option_id is not null
qualify row_number() over (partition by asset_type_id, field_id, option_id order by position) = 1
