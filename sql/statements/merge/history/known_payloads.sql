-- why: propsync compares the canonical form of a known record with that of the record read
select place, payload::varchar as payload
from staging.candidates
join (select {{parts}}, payload from {{history}} as versions where valid_to is null) as known using (key_1, key_2)
where is_to_compare
