-- why: what changed after the newest version that was asked for goes first
select max(of_changed_at) from main.documents
