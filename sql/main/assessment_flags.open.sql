-- grain: assessment_id, flag_position
-- why: a flag keeps its place, and its name where flags are an object
with flags as (
  select * from staging.flags
)
select assessment_id, flag_position, flag_key, staging.exact_json(flag) as payload{{open_columns}}
from flags
