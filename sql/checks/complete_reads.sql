-- severity: warn
-- why: a list that has not been read completely for two days may lack records, and keeps those that are gone
with latest as (
  select max(started_at) as as_of from ops.runs
),
complete as (
  select resource, max(started_at) filter (verdict in ('certified', 'agreed')) as read_at
  from ops.run_resources
  join ops.runs using (run_id)
  -- every other flow reads a part, or nothing of the lists
  where flow = 'nightly'
  group by resource
)
select resource, read_at
from complete
cross join latest
where read_at is null or read_at < as_of - interval 48 hours
