-- why: the changes on the page are those that runs saw after this moment. A night that failed makes them those of two
with reads as (
  select started_at from ops.runs where run_id in (select run_id from ops.run_resources)
)
select max(started_at)
from reads
where started_at <= (select max(started_at) from reads) - interval 20 hours
