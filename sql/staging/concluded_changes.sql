-- grain: key_1, key_2
-- why: a gone record gets a tombstone with its last payload; an assessment in a status that nobody knows stays without
-- one
with concluded as (
  select * from staging.concluded where outcome <> 'held'
),
known as (
  select * from staging.last_known where change not in ('delete', 'erase')
),
matched as (
  select known.*, concluded.outcome = 'hidden' as is_hidden
  from known
  join concluded on concluded.key_1 = known.key_1 and concluded.key_2 = known.key_2
  anti join staging.latest as latest on latest.key_1 = known.key_1 and latest.key_2 = known.key_2
)
select
  row_number() over () as place,  -- in no order: sorting would take all payloads into memory
  key_1,
  key_2,
  if(is_hidden, $hash_version || ':' || md5(record_hash || '|hidden'), record_hash) as record_hash,
  if(is_hidden, '', payload_hash) as payload_hash,
  payload::varchar as payload,
  if(is_hidden, null, status) as status,
  performed_for,
  performed_by,
  if(is_hidden, 'update', 'delete') as change,
  true as is_concluded
from matched
where not is_hidden or payload_hash <> ''
