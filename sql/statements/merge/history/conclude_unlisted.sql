-- why: a type that neither complete read lists is gone, as nobody can look a type up
insert into staging.concluded
select key_1, key_2, 'gone' from staging.unlisted
