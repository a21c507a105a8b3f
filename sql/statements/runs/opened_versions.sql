-- why: a version has the time of the run that opened it
select run_id from {{history}} where list_contains($run_ids::varchar[], run_id)
