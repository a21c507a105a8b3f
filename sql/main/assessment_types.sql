-- grain: assessment_type_id
-- why: every type ever listed, with its latest definition; a tombstone means that the API no longer lists it
with versions as (
  select *, {{name}} as name from staging.readable_types where valid_to is null
)
select
  assessment_type_id,
  name,
  change not in ('delete', 'erase') as is_listed,
  payload,
  if(
    count(*) over (partition by name) > 1, concat_ws(', ', name, assessment_type_id), coalesce(name, assessment_type_id)
  ) as type_label{{open_columns}}
from versions
