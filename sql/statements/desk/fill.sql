-- why: a mart is built whole beside its rows, which stay until then
insert into {{target}} by name from {{staged}}
