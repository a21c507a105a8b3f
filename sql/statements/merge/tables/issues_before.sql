-- why: a known issue keeps the run that found it first
select record_id, name, issue, value, min(run_id)
from ops.value_issues
where resource = $resource and record_id in (select record_id from staging.dirty_records)
group by all
