-- why: an unchanged list stays as it is, so that nothing is published again
with listed as (
  select * from staging.reference
),
differing as (
  (select * from {{table}} except all select * from listed)
  union all
  (select * from listed except all select * from {{table}})
)
select count(*) from differing
