-- why: a run that landed later is not in the published tables
select coalesce(max(run_id), '') as run_id
from ops.runs
