-- grain: asset_id, valid_from
-- why: a version opens with the run that first saw it
with changed as (
  select * from staging.changed
)
select
  key_1 as asset_id,
  record_hash,
  $run_time::timestamptz as valid_from,
  null::timestamptz as valid_to,
  change,
  $run_id as run_id,
  payload_hash,
  payload
from changed
