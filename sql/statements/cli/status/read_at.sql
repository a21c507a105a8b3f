-- why: when a sync last read each resource, the latest first: a rebuild or a backfill makes nothing fresher. After a clock
-- was ahead, the next runs start later than they end, and their ends have the true time
select resource, max_by(least(started_at, ended_at), run_id) as read_at
from ops.run_resources
join ops.runs using (run_id)
where flow = 'nightly' and runs.status in ('ok', 'attention') and verdict <> 'failed'
group by resource
order by max(run_id) desc
