-- why: a table is built whole beside its rows; those that it lacks come in
insert into {{target}} by name
select * from {{staged}} where rowid in (select staged_place from staging.differing)
