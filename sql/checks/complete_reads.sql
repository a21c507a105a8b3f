-- severity: warn
-- why: a list that has not been read completely for two days may lack records, and keeps those that are gone
with latest as (
  select max(started_at) as as_of from ops.runs
),
complete as (
  select resource, max(started_at) filter (verdict in ('certified', 'agreed')) as read_at
  from ops.run_resources
  join ops.runs using (run_id)
  -- a backfill reads a part, a push what it wrote, a run after hints what they name
  where coalesce(flow, '') not in ('backfill', 'push', 'hints')
  group by resource
)
select resource, read_at
from complete
cross join latest
where read_at is null or read_at < as_of - interval 48 hours
