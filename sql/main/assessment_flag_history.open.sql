-- grain: assessment_id, flag_position, position
-- why: a flag holds its history as an array of objects, under a name that the API's document does not show
with flags as (
  select assessment_id, flag_position, from_json({{flag_history}}, '["JSON"]') as entries
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
