-- grain: key_1, key_2
-- why: a type that the API lists no more gets a tombstone with what it last said; it keeps its row, unlisted
with unlisted as (
  select * from staging.unlisted
),
known as (
  select * from staging.known
)
select
  known.key_1,
  known.key_2,
  known.record_hash,
  known.payload_hash,
  known.payload::varchar as payload,
  known.status,
  known.performed_for,
  known.performed_by,
  'delete' as change
from known
semi join unlisted on unlisted.key_1 = known.key_1 and unlisted.key_2 = known.key_2
