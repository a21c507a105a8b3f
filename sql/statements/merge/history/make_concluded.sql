-- why: the conclusions about missing keys wait here for the transaction that applies them
create or replace table staging.concluded (key_1 varchar, key_2 varchar, outcome varchar)
