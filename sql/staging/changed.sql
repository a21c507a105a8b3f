-- grain: place
-- why: the new versions; the record's own status beats the list's, and the list's facts count beside the record
with candidates as (
  select * from staging.candidates
),
statuses as (
  select * from staging.own_statuses
),
canonical as (
  select * from staging.canonical
),
stated as (
  select
    candidates.* exclude (status),
    coalesce(nullif(statuses.own_status, ''), candidates.status) as status
  from candidates
  left join statuses on statuses.place = candidates.place
),
differing as (
  -- read in both: the record as it is now and as it was
  select place from canonical group by place having count(distinct hash) > 1
),
changed as (
  select *, if(known_change is null or known_change = 'delete', 'insert', 'update') as change
  from stated
  where known_change is null
    or known_change = 'delete'
    or was_hidden
    or coalesce(status, '') <> coalesce(known_status, '')
    or coalesce(performed_for, false) <> coalesce(known_performed_for, false)
    or coalesce(performed_by, false) <> coalesce(known_performed_by, false)
    or place in (select place from differing)
)
select
  row_number() over (order by place) as place,
  sequence,
  position,
  key_1,
  key_2,
  $hash_version || ':' || md5(concat_ws(
    '|', payload_hash, coalesce(status, ''), coalesce(performed_for, false), coalesce(performed_by, false)
  )) as record_hash,
  payload_hash,
  null::varchar as payload,
  status,
  performed_for,
  performed_by,
  change,
  false as is_concluded
from changed
