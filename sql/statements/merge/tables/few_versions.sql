-- why: models read the versions that are kept
select * from staging.{{kept}}
