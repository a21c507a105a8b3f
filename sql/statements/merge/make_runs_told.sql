-- why: a run that the journal knows has noted its changes of schema already
create or replace table staging.runs_told as
select run_id from ops.runs
