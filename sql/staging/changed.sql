-- grain: place
-- why: what is a new version; the record's own status beats the list's, and what the lists told is part of the hash
with candidates as (
  select * from staging.candidates
),
readings as (
  select * from staging.readings
),
stated as (
  select
    candidates.* exclude (status),
    readings.canonical_hash,
    coalesce(nullif(readings.own_status, ''), candidates.status) as status
  from candidates
  join readings on readings.place = candidates.place
),
hashed as (
  select
    *,
    $hash_version || ':' || md5(concat_ws(
      '|', canonical_hash, coalesce(status, ''), coalesce(performed_for, false), coalesce(performed_by, false)
    )) as record_hash
  from stated
),
changed as (
  select *, if(known_change is null or known_change = 'delete', 'insert', 'update') as change
  from hashed
  where known_change is null or known_change = 'delete' or known_hash <> record_hash
)
select
  row_number() over (order by place) as place,
  sequence,
  position,
  key_1,
  key_2,
  record_hash,
  payload_hash,
  null::varchar as payload,
  status,
  performed_for,
  performed_by,
  change
from changed
