-- grain: key_1, key_2
-- why: a list that moves may show a key twice, and an assessment may be on two lists; the later requested copy wins. A
-- record without a hash is nested too deep, or an error: its known version stays. A list read in part is no evidence
-- about records that are not on it.
with listed as (
  select * from {{listed}} where key_1 is not null and payload_hash is not null
),
known as (
  select * from staging.known where not $is_complete and change not in ('delete', 'erase')
),
of_key as (
  select
    key_1,
    key_2,
    arg_max(struct_pack(sequence, position, payload_hash, status), recency) as copy,
    bool_or(performed = 'For') as performed_for,
    bool_or(performed = 'By') as performed_by
  from listed
  group by key_1, key_2
)
select
  of_key.key_1,
  of_key.key_2,
  copy.sequence as sequence,
  copy.position as position,
  copy.payload_hash as payload_hash,
  copy.status as status,
  of_key.performed_for or coalesce(known.performed_for, false) as performed_for,
  of_key.performed_by or coalesce(known.performed_by, false) as performed_by
from of_key
left join known on known.key_1 = of_key.key_1 and known.key_2 = of_key.key_2
