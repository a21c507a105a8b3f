-- why: marts are as of the last run that read anything; a rebuild reads nothing, so its marts equal those before it
select max(started_at), (max(started_at) at time zone $time_zone)::date
from ops.runs
where flow <> 'rebuild'
