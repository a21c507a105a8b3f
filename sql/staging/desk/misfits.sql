-- grain: resource, record_id, name, value
-- why: a day or an amount that is none is NULL in a mart, and one that cannot be true gives no age. People see here how it was
-- written
with days as (
  select 'assessment_flags' as resource, assessment_id as record_id, 'raised_on' as name, raised_misfit as value
  from marts.flags
  union
  select 'assessment_flags', assessment_id, 'closed_on', closed_misfit from marts.flags
  union
  select 'bundle_actions', assessment_id, 'raised_on', raised_misfit from marts.actions
  union
  select 'bundle_actions', assessment_id, 'closed_on', closed_misfit from marts.actions
  union
  select 'bundle_actions', assessment_id, 'due_date', due_date_misfit from marts.actions
)
select
  resource,
  record_id,
  name,
  staging.day_issue(value, staging.day_written(value, $time_zone), $today) as issue,
  value
from days
where value is not null
union
select 'bundle_actions', assessment_id, 'cost', 'is not a number', cost_misfit
from marts.actions
where cost_misfit is not null
