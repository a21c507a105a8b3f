-- why: a new column shows an object or an array of earlier rows as text, as it would if all rows had come at once
select distinct place
from (
  select unnest(kinds) as kind, generate_subscripts(kinds, 1) as place
  from (select json_type(payload, {{paths}}) as kinds from ({{rows}}))
)
where kind in ('OBJECT', 'ARRAY')
