-- why: a resource that fails keeps its rows, and people must know how old they are. Other flows than nightly read a part
select resource, coalesce(max(run_id) filter (flow = 'nightly'), max(run_id)) as run_id
from ops.run_resources
left join ops.runs using (run_id)
where verdict <> 'failed'
group by resource
