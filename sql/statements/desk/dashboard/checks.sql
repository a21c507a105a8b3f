-- why: checks that found rows, worst first
select check_name, offending
from ops.checks
where offending > 0
order by severity, check_name
