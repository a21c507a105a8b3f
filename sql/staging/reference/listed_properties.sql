-- grain: property_id
-- why: people's list of properties with real numbers and days; a cell that is none is NULL, and ops.reference_issues has it
with texts as (
  select
    *,
    regexp_replace(homes, '\.0+$', '') as homes_written,
    regexp_extract(lower(height_m), '^(\d{1,5}|\d{1,5}\.\d+|\d{1,5},\d{1,2})\s*(m|metres?)?$', 1) as height_written,
    regexp_extract(built_year, '^((?:1\d|20)\d\d)(\.0+)?$', 1) as year_written
  from staging.listed_property_texts
)
select
  property_id,
  name,
  address,
  postcode,
  region,
  uprn,
  -- a comma between thousands is the only one that a whole number can have
  try_cast(if(regexp_full_match(homes_written, '\d{1,7}|\d{1,3}(,\d{3})+'), replace(homes_written, ',', ''), null) as integer) as homes,
  try_cast(replace(height_written, ',', '.') as double) as height_m,
  try_cast(year_written as integer) as built_year,
  staging.calendar_day(staging.without_midnight(managed_from)) as managed_from,
  staging.calendar_day(staging.without_midnight(managed_until)) as managed_until
from texts
