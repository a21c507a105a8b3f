-- why: a shown version, however old, keeps the columns of its members
select payload from history.{{table}}
