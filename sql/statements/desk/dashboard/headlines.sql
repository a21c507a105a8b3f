-- why: today's numbers, and those of the last day before
select number, day, value
from ops.headlines
where day in (select distinct day from ops.headlines order by day desc limit 2)
order by day desc, number
