-- why: when propsync last read the whole API: a rebuild or a backfill makes nothing else fresher. After a clock was ahead,
-- the next runs start later than they end, and their ends have the true time
select max_by(least(started_at, ended_at), run_id) as read_at
from ops.runs
where flow = 'nightly' and status in ('ok', 'attention')
