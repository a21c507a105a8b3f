-- why: a write keeps the run that first recorded it when a later run verifies it
select distinct record_id, run_id
from ops.writes
where plan_id = $plan_id and record_id is not null and state in ('applied', 'verified')
