-- why: the payloads of the records to build again
select payload from staging.dirty_versions
