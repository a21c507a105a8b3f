-- why: the last sync and the runs since then give the state. The last run on documents speaks for those before it,
-- and so does the last run after hints
with ended as (
  from ops.runs where status <> 'running'
),
sync as (
  select max(run_id) as run_id from ended where flow = 'nightly'
)
select ended.run_id, flow, status, error
from ended, sync
where ended.run_id = sync.run_id or (ended.run_id > coalesce(sync.run_id, '') and status <> 'killed')
qualify flow not in ('archive', 'hints') or ended.run_id = max(ended.run_id) over (partition by flow)
order by ended.run_id
