-- why: the numbers of the last two days, the later day last; the first page of a day comes before its own numbers
select number, day, value
from ops.headlines
where day in (select distinct day from ops.headlines order by day desc limit 2)
order by day, number
