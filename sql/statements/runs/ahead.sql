-- why: a run that began by a clock that was ahead, and that failed before it left anything, has dated nothing
select run_id
from ops.runs
where
  started_at > $latest
  and coalesce(status, '') in ('failed', 'killed', 'running')
  and not list_contains($kept::varchar[], run_id)
  and run_id not in (select run_id from ops.run_resources where verdict <> 'failed')
  and run_id not in (select changed_run_id from ops.tables)
  and run_id not in (select run_id from ops.hints where run_id is not null)
  and run_id not in (select run_id from ops.writes)
order by run_id
