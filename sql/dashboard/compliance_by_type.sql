-- title: Compliance by type
-- of: marts.compliance
-- why: how many of the required assessments are in date. Unknown never counts as in date. The percentage is rounded down, so
-- 100 means all of them. The undecided are in no other number: your list of properties leaves open whether they must have
-- the assessment
with undecided as (
  select measure, undecided from marts.measures where day = (select max(day) from marts.measures)
)
select
  coalesce(any_value(type_label), any_value(assessment_type), assessment_type_id) as assessment_type,
  count(*) as required,
  count(*) filter (state = 'in date') as in_date,
  count(*) filter (state = 'due soon') as due_soon,
  count(*) filter (state = 'out of date') as out_of_date,
  count(*) filter (state = 'unknown') as unknown,
  floor(1000 * count(*) filter (state in ('in date', 'due soon')) / count(*)) / 10 as percent_in_date,
  sum(homes) filter (state in ('out of date', 'unknown')) as homes_not_in_date,
  count(*) filter (state in ('out of date', 'unknown') and homes is null) as properties_without_homes,
  any_value(undecided) as undecided,
  any_value(complete_read_on) as last_complete_read,
  assessment_type_id
from marts.compliance
left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
left join undecided on measure = 'properties in date: ' || assessment_type_id
group by assessment_type_id
order by percent_in_date, assessment_type, assessment_type_id
