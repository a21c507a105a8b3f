-- severity: fail
-- why: the versions of a key follow one another without gap or overlap, and one is open
with versions as (
  select
    {{key_columns}},
    valid_from,
    valid_to,
    lead(valid_from) over (partition by {{key_columns}} order by valid_from) as next_from
  from history.{{table}}
)
select {{key_columns}}, valid_from, valid_to
from versions
where valid_to is distinct from next_from or valid_to <= valid_from
