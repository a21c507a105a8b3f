-- grain: place
-- why: the same bytes under the same facts are the same version; if the bytes of a known record differ, propsync reads
-- both
with latest as (
  select * from staging.latest
),
known as (
  select * from staging.known
),
compared as (
  select
    latest.*,
    known.change as known_change,
    known.status as known_status,
    known.performed_for as known_performed_for,
    known.performed_by as known_performed_by,
    coalesce(known.payload_hash = '', false) as was_hidden,
    known.payload_hash = latest.payload_hash as is_same_bytes
  from latest
  left join known on known.key_1 = latest.key_1 and known.key_2 = latest.key_2
)
select
  row_number() over (order by sequence, position) as place,
  *,
  known_change not in ('delete', 'erase') and not is_same_bytes and not was_hidden as is_to_compare
from compared
where
  known_change is null
  or known_change = 'delete'
  or not is_same_bytes
  or known_performed_for is distinct from performed_for
  or known_performed_by is distinct from performed_by
  or (status is not null and status is distinct from known_status)
