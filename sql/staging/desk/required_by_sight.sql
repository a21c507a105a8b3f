-- grain: property_id, assessment_type_id
-- why: without a list, an assessment is required if a schedule or an approved assessment was ever seen
with seen as (
  select property_id, assessment_type_id, 'schedule' as source from history.schedules
  union all
  select property_id, assessment_type_id, 'assessment' from main.assessments where status = 'approved'
  union all
  select property_id, assessment_type_id, 'assessment' from staging.formerly_approved
)
select property_id, assessment_type_id, null::integer as every_months, max(source) as source
from seen
where property_id is not null and assessment_type_id is not null
group by property_id, assessment_type_id
