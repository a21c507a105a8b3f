-- grain: run_id, resource, change, name
-- why: a rename moves an assessment type from one measure to another, so people must be able to find it, as for asset types
with types_before as (
  select * from main.assessment_types
),
types_now as (
  select assessment_type_id, {{name}} as name, change not in ('delete', 'erase') as is_listed
  from staging.readable_types
  where valid_to is null
),
type_changes as (
  select
    case
      when before.assessment_type_id is null then 'assessment type new'
      when before.is_listed and not now.is_listed then 'assessment type listed no more'
      when now.is_listed and not before.is_listed then 'assessment type listed again'
      when before.name is distinct from now.name then 'assessment type renamed'
    end as change,
    now.assessment_type_id as name,
    before.name as before,
    now.name as after
  from types_now as now
  left join types_before as before using (assessment_type_id)
  where exists (from types_before)
)
select $run_id as run_id, 'assessment_types' as resource, change, name, before, after
from type_changes
where change is not null
