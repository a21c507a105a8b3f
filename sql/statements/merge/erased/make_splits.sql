-- why: versions that differed from the one before in nothing but what was erased
create or replace table staging.splits (key_1 varchar, key_2 varchar, valid_from timestamptz, run_id varchar)
