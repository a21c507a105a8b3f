-- why: freshness includes the number of a table's rows
select count(*) from {{table}}
