-- grain: measure, since, assessment_type_id
-- why: which assessment types count for a measure: those that [desk] names, else those whose names fit
with chosen as (
  select measure, since, unnest(chosen) as type_chosen from staging.measure_rules
)
select measure, since, assessment_type_id
from staging.measure_rules
join main.assessment_types on regexp_matches(name, names, 'i') and not regexp_matches(name, other_names, 'i')
where len(chosen) = 0
union
select measure, since, assessment_type_id
from chosen
join main.assessment_types on type_chosen in (assessment_type_id, name)
