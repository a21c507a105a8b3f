-- why: no row or value to look through means that the answer is unknown, not that it is 0
select count(*) > 0 from (select 1 from {{table}} where {{counts}} limit 1)
