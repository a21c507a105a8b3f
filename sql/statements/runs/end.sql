-- why: how a run ended
update ops.runs
set ended_at = $ended_at, status = $status, error = $error
where run_id = $run_id
