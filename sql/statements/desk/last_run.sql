-- why: marts and the page are as of the last run that read anything. A rebuild, an erasure and a hiding read nothing, nor
-- does a run whose token the API refused
select max(started_at) as as_of
from ops.runs
where
  flow not in ('rebuild', 'erase', 'hide')
  and (
    status is distinct from 'failed'
    or run_id in (select run_id from ops.run_resources where verdict <> 'failed')
  )
