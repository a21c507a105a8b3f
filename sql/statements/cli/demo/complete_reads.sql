-- why: each read of a list has its certificate
select
  strftime(r.started_at, '%H:%M:%S') as night,
  s.resource,
  s.list,
  s.pages,
  s.total_last as total,
  s.distinct_keys as "different keys",
  s.verdict
from ops.sweeps as s
join ops.runs as r using (run_id)
where s.resource in ('assets', 'assessments', 'schedules')
order by all
