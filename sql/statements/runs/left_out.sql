-- why: a resource that was read in part although an attempt counted: its lists leave out what look-ups show. The sweep gave
-- up on the others (rung 4)
select resource
from ops.run_resources as resources
where
  run_id = $run_id
  and verdict = 'incomplete'
  and not exists (
    select 1 from ops.sweeps as sweeps
    where sweeps.run_id = resources.run_id and sweeps.resource = resources.resource and sweeps.rung = 4
  )
