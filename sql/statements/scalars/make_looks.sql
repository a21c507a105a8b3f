-- why: how often each structure comes; its text is kept only where all of them together cannot take much memory
create or replace table staging.looks as
select
  place,
  hash(structure) as hashed,
  count(*) as records,
  max(strlen(structure)) as size,
  any_value(structure) filter (strlen(structure) <= $short) as structure
from ({{structures}})
group by place, hashed
