-- grain: assessment_id, flag_position
-- why: flags come inside the assessment, because `includeflags` is always asked for
with assessments as (
  select assessment_id, from_json({{flags}}, '["JSON"]') as flags
  from main.assessments
  semi join staging.dirty_assessments using (assessment_id)
),
unnested as (
  select assessment_id, generate_subscripts(flags, 1)::integer as flag_position, unnest(flags) as payload
  from assessments
)
select assessment_id, flag_position, payload{{open_columns}}
from unnested
