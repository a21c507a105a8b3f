-- why: an undo reverses what the API accepted of a plan, whichever of its runs sent it; a plan may be named too
with plans as (
  select distinct plan_id from ops.writes where run_id = $run or plan_id = $run
)
select
  plan_id, run_id, file_row, resource, record_id, action, field, old_value, new_value, code,
  state = 'applied' and code is null as is_unread, -- the tables may show the value from before
  state = 'parked' as is_parked
from ops.writes
semi join plans using (plan_id)
where
  (state in ('applied', 'verified') and written_at is not null) -- nobody undoes what propsync did not send
  or state = 'parked' -- propsync sent it, and cannot tell what the API did
order by file_row, record_id, field
