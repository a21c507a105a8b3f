-- why: a run's time is later than that of any run before it
select max(started_at) from ops.runs
