-- grain: assessment_type_id, valid_from
-- why: every name that an assessment type ever had: what counted on an earlier day follows from the name of that day
with versions as (
  select * from staging.readable_types
)
select assessment_type_id, valid_from, {{name}} as name
from versions
