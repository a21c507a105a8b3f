-- why: the next run would be later than these, and so have their wrong time
delete from ops.runs where list_contains($run_ids::varchar[], run_id)
