-- why: the payloads of new versions come from their pages, in the order of their places
select sequence, position
from staging.changed
where not is_concluded
order by place
