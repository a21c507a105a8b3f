-- why: a certificate compares a list's total with its keys, without page 1's second reading
select
  count(key_1),
  count(distinct (key_1, key_2)) filter (key_1 is not null),
  count(*) filter (key_1 is null)
from {{listed}}
where attempt = $attempt and list = $list and role = 'page'
