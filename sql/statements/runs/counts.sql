-- why: a run's work on each resource, for its report
select * exclude (run_id) from ops.run_resources where run_id = $run_id
