-- why: what was recorded of a plan is not sent again, even if the state was lost since
select run_id, file_row, record_id, field, state, code, message, written_at::varchar as at
from ops.writes
where plan_id = {{plan_id}}
order by file_row, record_id, field
