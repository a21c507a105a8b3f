-- grain: property_id, assessment_type_id
-- why: without a list, an assessment is required if a schedule or an approved assessment was ever seen
with approved as (
  -- one that moved is required where it was last
  select arg_max(struct_pack(property_id := property_id, assessment_type_id := assessment_type_id), latest_at) as place
  from staging.seen_approvals
  group by assessment_id
),
seen as (
  select property_id, assessment_type_id, 'schedule' as source from history.schedules
  union all
  select place.property_id, place.assessment_type_id, 'assessment' from approved
)
select property_id, assessment_type_id, null::integer as every_months, max(source) as source
from seen
left join staging.listed_properties as listed using (property_id)
where property_id is not null and assessment_type_id is not null and staging.is_managed($today, managed_from, managed_until)
group by property_id, assessment_type_id
