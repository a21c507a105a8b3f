-- grain: asset_type_id, field_id, valid_from
-- why: every definition that a type ever gave of a field; one defined twice keeps its first definition
with versions as (
  select
    asset_type_id,
    valid_from,
    valid_to is null as is_open,
    change not in ('delete', 'erase') as is_listed,
    readable->'$."fields"' as definitions
  from staging.readable_types
),
unnested as (
  select
    * exclude (definitions),
    unnest(staging.entries(definitions)) as definition,
    unnest(staging.entry_names(definitions)) as name,
    generate_subscripts(staging.entries(definitions), 1)::integer as position
  from versions
),
described as (
  select
    asset_type_id,
    valid_from,
    is_open,
    is_listed,
    {{field_id}} as field_id,
    staging.exact_text(definition->>'$.type') as kind,
    {{field_label}} as label,
    position,
    definition
  from unnested
)
select *
from described
where field_id is not null
qualify row_number() over (partition by asset_type_id, field_id, valid_from order by position) = 1
