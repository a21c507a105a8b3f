-- why: the outcome of each resource in the last sync that read it. A run after hints reads few records. A backfill or a push
-- reads a part, and tells something only if no sync has read the resource yet. After a clock was ahead, the end of a run
-- has the true time
select
  done.resource,
  verdict,
  fetched,
  inserted,
  updated,
  held,
  rejected,
  done.error,
  least(runs.started_at, runs.ended_at) as read_at,
  coalesce(runs.flow = 'nightly', false) as is_of_sync
from ops.run_resources as done
join ops.runs as runs using (run_id)
where runs.flow is distinct from 'hints'
qualify row_number() over (partition by done.resource order by is_of_sync desc, run_id desc) = 1
order by done.resource
