-- why: the structure of each member of each payload: one of several equal records counts for all
select place, json_structure(member)::varchar as structure
from (
  select unnest(members) as member, generate_subscripts(members, 1) as place
  from (select json_extract(payload, {{members}}) as members from ({{payloads}}))
)
where member is not null
