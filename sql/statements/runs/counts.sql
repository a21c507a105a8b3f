-- why: what a run did with each resource, for its report
select * exclude (run_id) from ops.run_resources where run_id = $run_id
