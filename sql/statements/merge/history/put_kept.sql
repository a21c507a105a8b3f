-- why: the versions that are kept replace all
insert into history.{{table}} by name
select * from staging.kept_versions
