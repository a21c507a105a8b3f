-- why: the next night starts at the rung of a resource's last complete read. For an agreed run its agreement counts,
-- else its last attempt, which is the certified one. It doubts more if agreed totals counted fewer records than came
with complete as (
  select run_id, resource from ops.run_resources where verdict in ('certified', 'agreed')
),
attempts as (
  select sweeps.run_id, sweeps.resource, sweeps.rung, sweeps.attempt, sweeps.verdict,
    sweeps.verdict = 'agreed' and sweeps.distinct_keys > sweeps.total_first as is_exceeded
  from ops.sweeps as sweeps
  join ops.runs as runs using (run_id)
  semi join complete on complete.run_id = sweeps.run_id and complete.resource = sweeps.resource
  where sweeps.list <> 'combined' and sweeps.verdict in ('certified', 'agreed') and runs.flow = 'nightly'
)
select resource, rung, coalesce(bool_or(is_exceeded) over (partition by resource, run_id), false) as was_exceeded
from attempts
qualify row_number() over (partition by resource order by run_id desc, verdict = 'agreed' desc, attempt desc) = 1
