-- why: marts and the page are as of the last run that read anything. A rebuild, an erasure and a hiding read nothing. Nor does
-- a run whose token the API refused, or that somebody killed before it had read a list
select max(started_at) as as_of
from ops.runs
where
  flow not in ('rebuild', 'erase', 'hide')
  and (
    coalesce(status, '') not in ('failed', 'killed')
    or run_id in (select run_id from ops.run_resources where verdict <> 'failed')
  )
