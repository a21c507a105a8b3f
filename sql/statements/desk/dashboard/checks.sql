-- why: checks that found rows or could not run, worst first
select check_name, offending
from ops.checks
where offending > 0 or offending is null
order by severity nulls first, check_name
