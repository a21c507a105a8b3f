-- grain: {{key_columns}}, valid_from
-- why: if the rules of comparison change, each version gets today's hash, and one that is the same as the version before
-- goes. A hidden record has no hash of a payload: its version remains distinct from its neighbours
with hashed as (
  select
    {{key_columns}},
    valid_from,
    change,
    run_id,
    record_hash,
    payload,
    {{known_facts}},
    payload_hash = '' as is_hidden,
    canonical_hash,
    bytes_hash
  from history.{{table}}
  join staging.rehashed using ({{key_columns}}, valid_from)
),
stated as (
  select *, concat_ws('|', coalesce(status, ''), coalesce(performed_for, false), coalesce(performed_by, false)) as facts
  from hashed
),
compared as (
  select *, if(is_hidden, record_hash, concat_ws('|', canonical_hash, facts)) as compared_hash from stated
),
followed as (
  select
    *,
    change = 'update'
      and lag(change) over versions <> 'delete'
      and lag(compared_hash) over versions = compared_hash as is_same
  from compared
  window versions as (partition by {{key_columns}} order by valid_from)
)
select
  {{key_columns}},{{facts}}
  valid_from,
  if(is_hidden, record_hash, $hash_version || ':' || md5(concat_ws('|', bytes_hash, facts))) as record_hash,
  lead(valid_from) over (partition by {{key_columns}} order by valid_from) as valid_to,
  change,
  run_id,
  if(is_hidden, '', bytes_hash) as payload_hash,
  payload
from followed
where is_same is not true
