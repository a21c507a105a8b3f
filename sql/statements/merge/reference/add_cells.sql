-- why: conditions compare a few columns of people's list of properties
insert into staging.condition_cells
select {{key}}, $column, {{column}}::varchar from {{source}}
