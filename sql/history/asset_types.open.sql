-- grain: asset_type_id, valid_from
-- why: a version opens with the run that first saw it; payloads come in lots, those of what is concluded at place 0
with changed as (
  select * from staging.changed where place between $first and $last
),
payloads as (
  select unnest(range($first, $last + 1)) as place, unnest(string_split(decode($payloads), chr(31))) as payload
)
select
  key_1 as asset_type_id,
  record_hash,
  $run_time::timestamptz as valid_from,
  null::timestamptz as valid_to,
  change,
  $run_id as run_id,
  payload_hash,
  coalesce(changed.payload, payloads.payload) as payload
from changed
left join payloads on payloads.place = changed.place
