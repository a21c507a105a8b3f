-- why: checks of severity warn that found rows when they last ran; those of severity fail are among what was left behind
select check_name, offending, example
from ops.checks
where severity = 'warn' and offending > 0
order by check_name
