-- grain: resource
-- why: how completely the API was last read. A backfill reads a part, an archive run none of a list
with syncs as (
  select run_id, started_at from ops.runs where flow = 'nightly'
),
reads as (
  select resource, run_id, verdict, started_at, verdict in ('certified', 'agreed') as is_complete
  from ops.run_resources
  join syncs using (run_id)
)
select
  resource,
  arg_max(verdict, run_id) as verdict,
  min(started_at) filter (is_complete) as first_complete_at,
  max(started_at at time zone $time_zone) filter (is_complete)::date as complete_on
from reads
group by resource
