-- why: a table is built whole beside its rows; those that it no longer has leave
delete from {{target}} where rowid in (select target_place from staging.differing)
