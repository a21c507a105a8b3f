-- why: the limit on deletes is one of a night; many runs after hints, or chunks of backfills, must not exceed it together
select coalesce(sum(deleted), 0)::bigint as deleted
from ops.run_resources
join ops.runs using (run_id)
where flow in ('hints', 'backfill')
  and resource = $resource
  and run_id > (
    select coalesce(max(run_id), '')
    from ops.run_resources
    join ops.runs using (run_id)
    where flow = 'nightly' and resource = $resource and verdict in ('certified', 'agreed')
  )
