-- grain: property_id, assessment_type_id
-- why: what to derive anew: schedules with a new version
select distinct property_id, assessment_type_id
from history.schedules
where valid_from > $built_through::timestamptz
