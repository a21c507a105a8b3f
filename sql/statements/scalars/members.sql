-- why: an object used as a dictionary has a member for each of its keys, so propsync inspects only the most frequent
select name
from (select unnest(json_keys(payload)) as name from ({{payloads}}))
group by name
having length(name) <= $longest or list_contains($wanted, name)
order by list_contains($wanted, name) desc, count(*) desc, name
limit $most
