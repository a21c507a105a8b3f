-- grain: property_id, assessment_type_id
-- why: the last approved assessment of each property and type. A date after today is a mistake, and no evidence
with approved as (
  select * from staging.dated_assessments where staging.is_approved(status)
),
latest as (
  select
    property_id,
    assessment_type_id,
    max(struct_pack(
      performed_on := performed_on,
      approved_at := approved_at,
      assessment_id := assessment_id,
      date_source := date_source
    )) as latest
  from approved
  where performed_on <= $today
  group by property_id, assessment_type_id
)
select property_id, assessment_type_id, unnest(latest) from latest
