-- grain: property_id, assessment_type_id
-- why: what to derive again: schedules with a new version; `record_id` is the pair as one text that no other pair has
with opened as (
  select distinct property_id, assessment_type_id
  from history.schedules
  where valid_from > $built_through::timestamptz
)
select
  property_id,
  assessment_type_id,
  replace(replace(property_id, '\', '\\'), '/', '\/') || '/' || replace(replace(assessment_type_id, '\', '\\'), '/', '\/') as record_id
from opened
