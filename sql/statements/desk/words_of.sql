-- why: the different words of a column are few, whatever the number of rows
select {{entry}} as entry, {{column}}::varchar as word from main.{{table}} group by all
