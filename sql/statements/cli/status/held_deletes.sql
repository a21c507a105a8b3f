-- why: held records wait for a person's decision
select resource, run_id, reason, count(*) as records
from ops.held_deletes
group by all
order by resource, run_id, reason
