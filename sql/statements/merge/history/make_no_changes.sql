-- why: a quiet night has nothing to compare
create or replace table staging.changed (change varchar, is_concluded boolean)
