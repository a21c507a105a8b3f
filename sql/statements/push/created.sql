-- why: a file that is planned again would create its new assets again, and the API cannot delete one
select record_id, run_id, field, new_value
from ops.writes
where resource = 'assets' and action = 'create' and file = $file and record_id is not null
order by run_id, record_id
