-- why: a version closes when the next one opens; nothing opens after the tombstone of a record that is hidden now
update history.{{table}} as versions
set valid_to = $run_time
from staging.changed as changed
where versions.valid_to is null
  and versions.valid_from < $run_time
  and {{is_same}}
  and (versions.change <> 'delete' or (changed.place, changed.is_concluded) not in (select (place, is_concluded::boolean) from {{lot}}))
