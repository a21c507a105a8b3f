-- why: the latest runs, for `propsync status --json`
select run_id, flow, started_at, ended_at, status, error
from ops.runs
where status <> 'running'
order by run_id desc
limit 5
