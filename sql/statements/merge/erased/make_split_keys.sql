-- why: the records whose intervals are to be put in order
create or replace table staging.split_keys as
select distinct key_1, key_2 from staging.splits
