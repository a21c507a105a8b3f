-- grain: measure, day
-- why: the days that propsync counts again, and those that no longer count, as in compliance_days
with days as (
  select day from staging.counted_days
)
select measure, day
from marts.measures as counts
where not is_known
  or basis <> (select any_value(basis) from staging.counted_days)
  or not (is_month_end or is_year_end)
  or exists (from days where days.day = counts.day)
