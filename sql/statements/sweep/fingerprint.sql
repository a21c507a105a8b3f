-- why: attempts agree if they showed the same keys on the same lists, as often
select count(*) || ':' || coalesce(sum(hash(list, key_1, key_2)), 0)
from {{listed}}
where attempt = $attempt and role = 'page'
