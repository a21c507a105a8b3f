-- why: a request for records that the list shows, as a control of look-ups that show nothing
select distinct key_1
from {{listed}}
where key_1 is not null
order by hash(key_1)
limit $most
