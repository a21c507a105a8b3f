-- why: a file that is planned again would create its new assets again, and the API cannot delete one
select plan_id, file_row, record_id, run_id, state = 'parked' as is_unsure, message, field, new_value
from ops.writes
where
  resource = 'assets' and action = 'create' and file = $file
  and (state = 'parked' or (state in ('applied', 'verified') and record_id is not null))
order by run_id, record_id, file_row
