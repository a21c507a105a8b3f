-- why: records may have a status that nobody configured
select distinct status from main.{{table}} where status is not null order by status
