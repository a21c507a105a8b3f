-- why: no row to look through means that the answer is unknown, not that it is 0
select count(*) > 0 from (select 1 from {{table}} limit 1)
