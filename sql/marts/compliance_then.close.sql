-- grain: day, property_id, assessment_type_id
-- why: the days that propsync counts again, as in compliance_days, and those whose properties it no longer keeps
with days as (
  select day, basis from staging.counted_days
)
select day, property_id, assessment_type_id
from marts.compliance_then as stood
where basis <> (select any_value(basis) from days)
  or not staging.has_properties(day, is_year_end, $today)
  or exists (from days where days.day = stood.day)
