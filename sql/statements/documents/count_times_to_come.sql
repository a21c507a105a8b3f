-- why: only a run on documents that finds any begins a run to correct them
select count(*) from main.documents where asked_at > $latest or verified_at > $latest
