-- why: a table under a provisional name has another name now
drop table by_type.{{table}}
