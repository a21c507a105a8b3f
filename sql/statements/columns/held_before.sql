-- why: a new column shows what earlier rows hold there, an object or an array as text, as if all rows had come at once
select place, bool_or(kind in ('OBJECT', 'ARRAY')) as is_apart
from (
  select unnest(kinds) as kind, generate_subscripts(kinds, 1) as place
  from (select json_type(payload, {{paths}}) as kinds from ({{rows}}))
)
where kind <> 'NULL'
group by place
