-- why: a table without rows may lack a column that people name
select count(*) > 0 from (from {{table}} limit 1)
