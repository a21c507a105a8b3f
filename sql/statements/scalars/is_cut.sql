-- why: what was not looked at is looked for in every record
select (select count(*) from staging.looks) > count(*) from staging.looks_chosen
