-- why: few payloads have an object where most have a text, so the search leaves all others out at once
select distinct place
from (
  select unnest(kinds) as kind, generate_subscripts(kinds, 1) as place
  from (select json_type(payload, {{paths}}) as kinds from ({{payloads}}))
  where list_contains(kinds, 'OBJECT')
)
where kind = 'OBJECT'
