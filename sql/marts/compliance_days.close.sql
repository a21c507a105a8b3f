-- grain: day
-- why: the days that propsync counts again, and those that no longer count. Such days are an earlier today in the middle
-- of a month, counts by other lists, and days before the first sync
with days as (
  select day from staging.counted_days
)
select day
from marts.compliance_days as counts
where not is_known
  or basis <> (select any_value(basis) from staging.counted_days)
  or not (is_month_end or is_year_end)
  or exists (from days where days.day = counts.day)
