-- grain: key_1, key_2
-- why: a list that moves may show a key twice, and an assessment may be on two lists; the later requested copy wins
with listed as (
  select * from staging.listed where key_1 is not null
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
  key_1,
  key_2,
  copy.sequence as sequence,
  copy.position as position,
  copy.payload_hash as payload_hash,
  copy.status as status,
  performed_for,
  performed_by
from of_key
