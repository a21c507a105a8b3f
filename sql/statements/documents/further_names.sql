-- why: cells without a column wait under the name of their future column
select distinct unnest(json_keys(further)) from main.{{table}} where further is not null
