-- why: how many rows break a rule, and one of them
select count(*), any_value(found::varchar) from (
{{check}}
) as found
