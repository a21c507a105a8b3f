-- why: a mart without rows is built in its place, any other beside its rows
select exists (from {{table}})
