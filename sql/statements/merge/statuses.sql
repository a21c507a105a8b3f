-- why: records may have a status that nobody configured
select distinct status from {{present}} as present where status is not null order by status
