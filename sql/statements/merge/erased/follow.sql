-- why: versions that came in between close the ones before them
update history.{{table}} as versions
set valid_to = followed.next_from
from (
  select {{key_columns}}, valid_from, lead(valid_from) over (partition by {{key_columns}} order by valid_from) as next_from
  from history.{{table}}
  where ({{parts_only}}) in (select (key_1, key_2) from staging.split_keys)
) as followed
where {{is_same}} and versions.valid_from = followed.valid_from and versions.valid_to is distinct from followed.next_from
