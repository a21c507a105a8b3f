-- why: some runs leave a check out, so it looks at all that changed since its own last run
select check_name, run_id
from ops.checks
where list_contains($names, check_name)
