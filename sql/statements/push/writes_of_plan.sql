-- why: a plan that was recorded is not applied again, even if the state was lost since
select run_id, file_row, record_id, field, state, code, message, written_at is not null as is_sent
from ops.writes
where plan_id = {{plan_id}}
order by file_row, record_id, field
