-- why: records without a usable key, nested too deep or replaced by an error. Not those that replace an erased one. A
-- record that several lists may show counts once
select sequence, position, list, (key_1, key_2) in (select (key_1, key_2) from staging.known where change not in ('delete', 'erase'))
from {{listed}}
where (key_1 is null and role = 'page')
  or (key_1 is not null and payload_hash is null and not regexp_full_match(key_1, 'erased-[0-9a-f]{16}'))
qualify key_1 is null or row_number() over (partition by key_1, key_2 order by role <> 'page', sequence, position) = 1
order by sequence, position
limit $most
