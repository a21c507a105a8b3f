-- title: Compliance by type
-- of: marts.compliance
-- why: how many of the required assessments are in date. Unknown never counts as in date, and 100 means all of them
select
  any_value(assessment_type) as assessment_type,
  count(*) as required,
  count(*) filter (state = 'in date') as in_date,
  count(*) filter (state = 'due soon') as due_soon,
  count(*) filter (state = 'out of date') as out_of_date,
  count(*) filter (state = 'unknown') as unknown,
  least(
    round(100 * count(*) filter (state in ('in date', 'due soon')) / count(*), 1),
    if(bool_and(state in ('in date', 'due soon')), 100, 99.9)
  ) as percent_in_date,
  sum(homes) filter (state in ('out of date', 'unknown')) as homes_not_in_date,
  count(*) filter (state in ('out of date', 'unknown') and homes is null) as properties_without_homes,
  assessment_type_id
from marts.compliance
group by assessment_type_id
order by percent_in_date, assessment_type, assessment_type_id
