-- why: cells that had no column wait under the name that theirs would have
select distinct unnest(json_keys(further)) from main.{{table}} where further is not null
