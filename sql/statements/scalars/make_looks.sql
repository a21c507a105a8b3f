-- why: how often each structure occurs; it keeps the texts only if all of them together fit into memory
create or replace table staging.looks as
select
  place,
  hash(structure) as hashed,
  count(*) as records,
  max(strlen(structure)) as size,
  any_value(structure) filter (strlen(structure) <= $short) as structure
from ({{structures}})
group by place, hashed
