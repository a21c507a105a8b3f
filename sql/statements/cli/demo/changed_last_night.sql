-- why: history shows the changes of each night
with latest as (
  select max(started_at) as started_at from ops.runs where flow = 'nightly'
),
changed as (
  select 'assets' as records, change, valid_from from history.assets
  union all
  select 'assessments', change, valid_from from history.assessments
  union all
  select 'schedules', change, valid_from from history.schedules
)
select records, change, count(*) as count
from changed
join latest on latest.started_at = changed.valid_from
group by all
order by all
