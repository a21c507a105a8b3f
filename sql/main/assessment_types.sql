-- grain: assessment_type_id
-- why: every type ever listed, with the latest it said; a tombstone means that the API lists it no more
with versions as (
  select * from staging.readable_types where valid_to is null
)
select
  assessment_type_id,
  {{name}} as name,
  change <> 'delete' as is_listed,
  payload{{open_columns}}
from versions
