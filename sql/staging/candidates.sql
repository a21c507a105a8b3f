-- grain: place
-- why: the same bytes under the same facts are the same version; only the others need to be read again and compared
with latest as (
  select * from staging.latest
),
known as (
  select * from staging.known
)
select
  row_number() over (order by latest.sequence, latest.position) as place,
  latest.*,
  known.change as known_change,
  known.record_hash as known_hash
from latest
left join known on known.key_1 = latest.key_1 and known.key_2 = latest.key_2
where
  known.key_1 is null
  or known.change = 'delete'
  or not starts_with(known.record_hash, $hash_version || ':')
  or known.payload_hash <> latest.payload_hash
  or known.performed_for is distinct from latest.performed_for
  or known.performed_by is distinct from latest.performed_by
  or (latest.status is not null and latest.status is distinct from known.status)
