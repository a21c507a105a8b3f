-- grain: day, property_id, assessment_type_id
-- why: most nights count no earlier day, as in compliance_of_no_day
with days as (
  select day from staging.counted_days
)
select
  day,
  null::varchar as property_id,
  null::varchar as assessment_type_id,
  null::boolean as is_required,
  null::integer as every_months,
  null::integer as perhaps_months
from days
where false
