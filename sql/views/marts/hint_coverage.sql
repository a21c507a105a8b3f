-- grain: run_id, resource
-- why: how many changes hints showed during the day, and how many only the night's complete read found
with moved as (
  select run_id, resource, flow, started_at, verdict, inserted + updated + deleted as changes
  from ops.run_resources
  join ops.runs using (run_id)
  where resource not in ('asset_types', 'assessment_types')
),
began as (
  select min(run_id) as run_id from ops.runs where flow = 'hints'
),
nights as (
  select
    run_id,
    resource,
    started_at,
    changes,
    lag(run_id) over (partition by resource order by run_id) as earlier_run_id
  from moved
  where flow = 'nightly' and verdict in ('certified', 'agreed')
),
days as (
  select nights.run_id, nights.resource, sum(moved.changes) as changes
  from nights
  join moved on moved.resource = nights.resource
    and moved.flow = 'hints'
    and moved.run_id < nights.run_id
    and moved.run_id > coalesce(nights.earlier_run_id, '')
  group by nights.run_id, nights.resource
)
select
  nights.run_id,
  nights.resource,
  nights.started_at as night_at,
  coalesce(days.changes, 0)::bigint as changes_by_hint,
  nights.changes as changes_by_night,
  nights.changes / nullif(coalesce(days.changes, 0) + nights.changes, 0) as miss_rate
from nights
join began on began.run_id < nights.run_id
left join days on days.run_id = nights.run_id and days.resource = nights.resource
