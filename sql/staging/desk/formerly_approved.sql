-- grain: assessment_id
-- why: the property and type of each assessment that was approved and is no more
with versions as (
  select * from staging.readable_former
)
select assessment_id, {{property}} as property_id, {{type}} as assessment_type_id
from versions
