-- grain: measure, since, day, assessment_type_id
-- why: which assessment types count for a measure on a day: those that [desk] names, else those whose names fitted then
with names_then as (
  select day, assessment_type_id, name from staging.type_names_on_days
)
select measure, since, day, assessment_type_id, name
from staging.measure_rules
join names_then on regexp_matches(name, names, 'i') and not regexp_matches(name, other_names, 'i')
where len(chosen) = 0
union all
select measure, since, day, assessment_type_id, coalesce(names_then.name, types.name, assessment_type_id) as name
from staging.chosen_types
cross join (select day from staging.counted_days) as days
left join names_then using (day, assessment_type_id)
left join (select assessment_type_id, name from main.assessment_types) as types using (assessment_type_id)
