-- grain: key_1, key_2
-- why: a key known from before that a complete read no longer lists is missing, which is not yet gone
with known as (
  select * from staging.known where change <> 'delete'
)
select known.key_1, known.key_2
from known
anti join staging.latest as latest on latest.key_1 = known.key_1 and latest.key_2 = known.key_2
