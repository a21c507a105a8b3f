-- why: how many rows a table has, in how many of them a column has a value, and an example where that is safe
select {{wanted}} from {{table}}
