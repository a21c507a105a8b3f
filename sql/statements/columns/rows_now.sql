-- why: rows of a table without history, such as flags
select payload from {{table}}
