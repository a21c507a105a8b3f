-- why: a database is as new as its latest run
select max(run_id) from ops.runs
