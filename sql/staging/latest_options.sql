-- grain: asset_type_id, field_id, option_id
-- why: every option that a field ever offered, as last defined: an asset may have chosen it before it went. A field lists
-- its options as objects or as plain texts, in an array or in an object keyed by their ids. If two have one id, the first
-- counts
with versions as (
  select
    asset_type_id,
    field_id,
    valid_from,
    max(valid_from) over (partition by asset_type_id, field_id) as last_from,
    {{field_options}} as options
  from staging.field_versions
),
lists as (
  -- a list comes again whenever anything else of its type changes
  select asset_type_id, field_id, last_from, options, max(valid_from) as valid_from
  from versions
  where options is not null
  group by asset_type_id, field_id, last_from, options
),
unnested as (
  select
    asset_type_id,
    field_id,
    last_from,
    valid_from,
    unnest(staging.entries(options)) as option,
    unnest(staging.entry_names(options)) as name,
    generate_subscripts(staging.entries(options), 1) as position
  from lists
),
described as (
  select
    asset_type_id,
    field_id,
    if(json_type(option) = 'OBJECT', {{option_id}}, staging.exact_text(coalesce(name, option->>'$'))) as option_id,
    if(json_type(option) = 'OBJECT', {{option_label}}, staging.exact_text(option->>'$')) as label,
    valid_from is not distinct from last_from as is_listed,
    valid_from,
    position
  from unnested
)
select asset_type_id, field_id, option_id, label, is_listed
from described
where option_id is not null
qualify row_number() over (partition by asset_type_id, field_id, option_id order by valid_from desc, position) = 1
