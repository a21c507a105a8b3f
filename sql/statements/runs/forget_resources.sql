-- why: the last verdict on each resource is that of a run that counts
delete from ops.run_resources where list_contains($run_ids::varchar[], run_id)
