-- grain: measure, since, assessment_type_id
-- why: the assessment types that [desk] names. A name that people wrote down before a rename still means the same type, and
-- so its counts of every day stay
with wanted as (
  select measure, since, unnest(chosen) as type_chosen from staging.measure_rules
),
fitting as (
  select measure, since, type_chosen, assessment_type_id, true as is_present
  from wanted
  join (select assessment_type_id, name from main.assessment_types) on type_chosen in (assessment_type_id, name)
  union all
  select measure, since, type_chosen, assessment_type_id, false
  from wanted
  join staging.assessment_type_versions on type_chosen = name
),
likeliest as (
  select *
  from fitting
  qualify rank() over (partition by measure, since, type_chosen order by is_present desc) = 1
)
select distinct measure, since, assessment_type_id
from likeliest
