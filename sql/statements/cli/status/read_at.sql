-- why: when propsync last read the whole API: a rebuild or a backfill makes nothing else fresher
select max(started_at)
from ops.runs
where flow not in ('backfill', 'rebuild', 'archive', 'push', 'hints') and status in ('ok', 'attention')
