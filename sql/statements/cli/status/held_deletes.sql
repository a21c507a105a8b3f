-- why: what is held waits for people's word
select resource, run_id, reason, count(*) as records
from ops.held_deletes
group by all
order by resource, run_id, reason
