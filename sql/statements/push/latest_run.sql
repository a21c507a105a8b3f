-- why: a plan names the tables that a file was compared with
select max(run_id) from ops.runs
