-- why: hints have a budget of requests a day
select coalesce(sum(requests), 0)::bigint as requests
from ops.run_resources
join ops.runs using (run_id)
where flow = 'hints' and started_at >= $since
