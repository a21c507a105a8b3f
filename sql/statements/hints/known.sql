-- why: a run may have died after it put a file of hints here, and before it removed the file
select hint_id from ops.hints where list_contains($hint_ids::varchar[], hint_id)
