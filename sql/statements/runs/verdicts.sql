-- why: how each resource of a run ended
select resource, verdict from ops.run_resources where run_id = $run_id
