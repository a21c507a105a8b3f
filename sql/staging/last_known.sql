-- grain: key_1, key_2
-- why: a tombstone keeps the record's last payload; propsync reads only the payloads of concluded records
with known as (
  select {{parts}}, record_hash, payload_hash, change, {{known_facts}}, payload
  from {{history}} as versions
  where valid_to is null
)
select *
from known
where (key_1, key_2) in (select (key_1, key_2) from staging.concluded)
