-- why: a plan splits a list where most records were known
select {{property}}, {{type}}, count(*)
from {{table}} as present
group by all
