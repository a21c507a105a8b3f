-- grain: day
-- why: how completely the API had been read by the end of each day to count. A failed night makes that day's numbers old
with reads as (
  select
    day,
    resource,
    arg_max(verdict, run_id) as verdict,
    max(started_at at time zone $time_zone) filter (verdict in ('certified', 'agreed'))::date as complete_on
  from staging.counted_days
  join ops.runs as runs on flow = 'nightly' and started_at < coalesce(ends_at, 'infinity')
  join ops.run_resources using (run_id)
  where resource in ('assessments', 'schedules')
  group by day, resource
)
select
  day,
  staging.verdict_of_both(verdict) as verdict,
  if(count(complete_on) = 2, min(complete_on), null) as complete_on
from reads
group by day
