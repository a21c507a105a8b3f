-- grain: key_1, key_2
-- why: what is known of each record is compared with what a snapshot shows
select {{parts}}, record_hash, payload_hash, change, {{known_facts}}
from history.{{table}}
where valid_to is null
