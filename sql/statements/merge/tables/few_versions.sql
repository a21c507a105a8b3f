-- why: models read the versions that are kept
select * from staging.few_versions
