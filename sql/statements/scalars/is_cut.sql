-- why: propsync searches every record for members that it did not inspect
select (select count(*) from staging.looks) > count(*) from staging.looks_chosen
