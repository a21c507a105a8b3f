-- why: how many records a run held instead of deleting them
select coalesce(sum(held), 0) from ops.run_resources where run_id = $run_id
