-- why: a record that came back and was erased again ends what was left of it before
update history.{{table}} as versions
set valid_to = followed.next_from
from (
  select valid_from, lead(valid_from) over (order by valid_from) as next_from
  from history.{{table}}
  where {{key}} = $pseudonym
) as followed
where versions.{{key}} = $pseudonym
  and versions.valid_from = followed.valid_from
  and versions.valid_to is null
  and followed.next_from is not null
