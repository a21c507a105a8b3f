-- grain: day, assessment_type_id, region
-- why: compliance at each month's end and today, as known then, so that a number can be repeated a month later
with days as (
  select * from staging.counted_days
),
counts as (
  select
    day,
    assessment_type_id,
    region,
    count(*) filter (state = 'in date') as properties_in_date,
    count(*) filter (state = 'due soon') as properties_due_soon,
    count(*) filter (state = 'out of date') as properties_out_of_date,
    count(*) filter (state = 'unknown') as properties_unknown,
    coalesce(sum(homes) filter (state = 'in date'), 0)::bigint as homes_in_date,
    coalesce(sum(homes) filter (state = 'due soon'), 0)::bigint as homes_due_soon,
    coalesce(sum(homes) filter (state = 'out of date'), 0)::bigint as homes_out_of_date,
    coalesce(sum(homes) filter (state = 'unknown'), 0)::bigint as homes_unknown,
    count(*) filter (homes is null) as properties_without_homes
  from staging.compliance_on_days
  group by day, assessment_type_id, region
),
kinds as (
  select distinct assessment_type_id, region from marts.compliance
),
unknown_days as (
  select day, assessment_type_id, region from days cross join kinds where not is_known
),
rows_of_days as (
  from counts
  union all by name
  from unknown_days
)
select
  day,
  is_known,
  is_month_end,
  is_year_end,
  assessment_type_id,
  types.name as assessment_type,
  region,
  properties_in_date,
  properties_due_soon,
  properties_out_of_date,
  properties_unknown,
  homes_in_date,
  homes_due_soon,
  homes_out_of_date,
  homes_unknown,
  properties_without_homes,
  coalesce(verdict, 'not read') as verdict,
  complete_on as complete_read_on,
  basis
from rows_of_days
join days using (day)
left join staging.reads_on_days using (day)
left join (select assessment_type_id, name from main.assessment_types) as types using (assessment_type_id)
