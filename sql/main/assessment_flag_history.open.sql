-- grain: assessment_id, flag_position, position
-- why: a flag holds its history as an array of objects, or as an object that numbers them. The document of the API shows
-- no name for it
with flags as (
  select assessment_id, flag_position, staging.listed_entries({{flag_history}}) as entries
  from staging.flags
),
unnested as (
  select
    assessment_id,
    flag_position,
    generate_subscripts(entries, 1)::integer as position,
    unnest(entries) as entry
  from flags
)
select assessment_id, flag_position, position, staging.exact_json(entry) as payload{{open_columns}}
from unnested
