-- grain: {{key_columns}}, valid_from
-- why: a version opens with the run that first saw it; payloads come in batches
with changed as (
  select * from staging.changed where place between $first and $last and is_concluded = $is_concluded
),
shown as (
  select * from {{lot}}
)
select
  {{keys}},{{facts}}
  {{record_hash}} as record_hash,
  $run_time::timestamptz as valid_from,
  null::timestamptz as valid_to,
  change,
  $run_id as run_id,
  {{payload_hash}} as payload_hash,
  shown.payload
from shown
join changed on changed.place = shown.place
