-- why: a column of states or priorities has few different words, whatever the number of rows; one with more holds texts
select {{entry}} as entry, {{name}} as name, word
from (select distinct {{column}}::varchar as word from main.{{table}})
qualify count(*) over () <= 200
