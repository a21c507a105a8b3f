-- why: a mart is built again only if a table that it reads has changed. Every run has rows in ops.run_resources; of these,
-- marts show the last verdicts and the days of complete reads. Nobody marks ops.shapes, so its rows count
with reads as (
  select
    resource,
    arg_max(verdict, run_id) as verdict,
    max(started_at at time zone $time_zone) filter (verdict in ('certified', 'agreed'))::date as complete_on
  from ops.run_resources
  join ops.runs using (run_id)
  where flow = 'nightly'
  group by resource
)
select table_schema || '.' || table_name, changed_run_id || ' ' || row_count
from ops.tables
where table_schema <> 'marts'
union all
select 'ops.run_resources', string_agg(concat_ws(' ', resource, verdict, complete_on), ', ' order by resource)
from reads
union all
select 'ops.shapes', concat_ws(' ', count(*), sum(hash(resource, part, paths)))
from ops.shapes
order by all
