-- why: the plans that propsync applied, the newest first
select
  runs.run_id,
  writes.plan_id,
  any_value(writes.file) as file,
  any_value(writes.resource) as resource,
  coalesce(max(writes.written_at), any_value(runs.started_at)) as written_at,
  count(distinct (writes.file_row, writes.record_id)) as records,
  count(*) filter (writes.state = 'verified') as verified,
  count(*) filter (writes.state = 'applied') as applied,
  count(*) filter (writes.state = 'skipped') as skipped,
  count(*) filter (writes.state in ('failed', 'parked')) as failed
from ops.writes as writes
join ops.runs as runs using (run_id)
group by runs.run_id, writes.plan_id
order by runs.run_id desc, writes.plan_id
