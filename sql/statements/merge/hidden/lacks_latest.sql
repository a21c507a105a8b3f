-- why: a backup of the second file alone may be older than the state
with noted as (
  select value from ops.settings where setting = 'latest hidden ' || $resource
)
select count(*)
from noted
where split_part(value, ' ', 1) = $file
  and not exists (
    from hidden.latest
    where resource = $resource and run_time >= split_part(value, ' ', 2)::timestamptz
  )
