-- why: an object used as a dictionary has a member for each of its keys, so propsync inspects only the most frequent.
-- A name that is too long for a column comes cut, as a sign that there are such names.
with members as (select unnest(json_keys(payload)) as member from ({{payloads}}))
select if(list_contains($wanted, member), member, left(member, $longest + 1)) as name
from members
group by name
order by list_contains($wanted, name) desc, length(name) > $longest, count(*) desc, name
limit $most
