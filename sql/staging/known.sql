-- grain: key_1, key_2
-- why: propsync compares the known version of each record with a snapshot
select {{parts}}, record_hash, payload_hash, change, {{known_facts}}
from {{history}} as versions
where valid_to is null
