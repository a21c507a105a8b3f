-- why: when propsync last read the whole API: a rebuild or a backfill makes nothing else fresher
select max(started_at) as read_at
from ops.runs
where flow = 'nightly' and status in ('ok', 'attention')
