-- why: a known issue keeps the run that found it first
update ops.value_issues as issues
set run_id = known.run_id
from (
  select
    unnest($record_ids) as record_id,
    unnest($names) as name,
    unnest($issues) as issue,
    unnest($written) as value,
    unnest($run_ids) as run_id
) as known
where issues.resource = $resource
  and issues.record_id = known.record_id
  and issues.name = known.name
  and issues.issue = known.issue
  and issues.value is not distinct from known.value
