-- grain: key_1, key_2
-- why: a known key that a complete read no longer lists is missing, which is not yet gone
with known as (
  select * from staging.known where change not in ('delete', 'erase')
)
select known.key_1, known.key_2
from known
anti join {{listed}} as listed on listed.key_1 = known.key_1 and listed.key_2 = known.key_2
