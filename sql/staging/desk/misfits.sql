-- grain: resource, record_id, name, value
-- why: a day or an amount that is none is NULL in a mart, and is reported here as it was written
select 'assessment_flags' as resource, assessment_id as record_id, 'raised_on' as name, staging.date_issue(raised_misfit) as issue, raised_misfit as value
from marts.flags
where raised_misfit is not null
union
select 'assessment_flags', assessment_id, 'closed_on', staging.date_issue(closed_misfit), closed_misfit
from marts.flags
where closed_misfit is not null
union
select 'bundle_actions', assessment_id, 'due_date', staging.date_issue(due_date_misfit), due_date_misfit
from marts.actions
where due_date_misfit is not null
union
select 'bundle_actions', assessment_id, 'cost', 'is not a number', cost_misfit
from marts.actions
where cost_misfit is not null
