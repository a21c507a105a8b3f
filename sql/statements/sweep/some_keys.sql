-- why: look-ups ask for some records that the list shows, to see whether they show anything
select distinct key_1, key_2
from {{listed}}
where key_1 is not null
order by hash(key_1, key_2)
limit $most
