-- why: somebody may restore an older database beside newer landing. A run then merges what the journal does not know
select run_id, resource
from ops.run_resources
where run_id not in (select run_id from ops.runs)
