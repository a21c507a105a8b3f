-- why: a known issue keeps the run that found it first
insert into ops.value_issues by name
select misfits.*, $run_id as run_id
from staging.misfits as misfits
anti join ops.value_issues as known using (resource, record_id, name, issue, value)
