-- why: a list is replaced as a whole, with its columns
create or replace table {{table}} as
select * from staging.reference
