-- why: how many rows a table has, for its freshness and for what a run may delete
select count(*) from {{table}}
