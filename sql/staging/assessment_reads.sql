-- grain: read_at
-- why: the complete reads of the assessments. propsync sees an approval in the next of them at the latest. A run may see
-- earlier that the schedule moved on: it read schedules alone, or the list of assessments failed
select started_at as read_at
from ops.run_resources
join ops.runs using (run_id)
where resource = 'assessments' and flow = 'nightly' and verdict in ('certified', 'agreed')
