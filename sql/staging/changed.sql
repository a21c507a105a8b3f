-- grain: key_1, key_2
-- why: what is a new version; the record's own status beats the list's, and what the lists told is part of the hash
with readings as (
  select * from staging.readings
),
stated as (
  select
    readings.key_1,
    readings.key_2,
    readings.payload,
    readings.canonical_hash,
    latest.payload_hash,
    latest.performed_for,
    latest.performed_by,
    coalesce({{status}}, latest.status) as status
  from readings
  join staging.latest as latest on latest.key_1 = readings.key_1 and latest.key_2 = readings.key_2
),
hashed as (
  select
    *,
    $hash_version || ':' || md5(concat_ws(
      '|', canonical_hash, coalesce(status, ''), coalesce(performed_for, false), coalesce(performed_by, false)
    )) as record_hash
  from stated
)
select
  hashed.key_1,
  hashed.key_2,
  hashed.record_hash,
  hashed.payload_hash,
  hashed.payload,
  hashed.status,
  hashed.performed_for,
  hashed.performed_by,
  if(known.key_1 is null or known.change = 'delete', 'insert', 'update') as change
from hashed
left join staging.known as known on known.key_1 = hashed.key_1 and known.key_2 = hashed.key_2
where known.key_1 is null or known.change = 'delete' or known.record_hash <> hashed.record_hash
