-- why: the records that a run held, for its report
select resource, reason, count(*) as records
from ops.held_deletes
where run_id = $run_id
group by resource, reason
order by resource, records desc, reason
