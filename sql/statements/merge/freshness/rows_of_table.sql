-- why: the rows of one table, under its name
select {{name}} as name, count(*) as number from {{table}}
