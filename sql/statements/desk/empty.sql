-- why: a mart is built whole beside its rows, which stay until then
delete from {{target}}
