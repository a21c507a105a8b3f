-- grain: asset_type_id
-- why: every type ever listed, with its latest definition; a tombstone means that the API no longer lists it
with versions as (
  select * from staging.readable_types where valid_to is null
),
used as (
  select distinct asset_type_id from main.assets where asset_type_id is not null
)
select
  asset_type_id,
  staging.exact_text(readable->>'$.name') as name,
  staging.exact_text(readable->>'$.nameSingular') as name_singular,
  change is not null and change not in ('delete', 'erase') as is_listed,
  payload,
  readable
from versions
full join used using (asset_type_id)
