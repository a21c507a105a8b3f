-- why: the number of a table's rows stands beside its freshness
select count(*) from {{table}}
