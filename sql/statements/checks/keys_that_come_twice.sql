-- why: half the time and the memory of grouping by texts; different keys may have one hash
select {{key}}
from {{table}}
where hash({{key}}) in (select hash({{key}}) from {{table}} group by hash({{key}}) having count(*) > 1)
group by {{key}}
having count(*) > 1
