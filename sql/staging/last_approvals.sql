-- grain: property_id, assessment_type_id
-- why: the last approved assessment of each property and type. A date after today is a mistake, and no evidence
with approved as (
  select
    property_id,
    assessment_type_id,
    assessment_id,
    approved_at,
    -- without a date that can be read, the day on which a run first saw it approved
    coalesce(performed_on, (approved_at at time zone $time_zone)::date) as performed_on,
    if(performed_on is null, 'first seen approved', date_source) as date_source
  from staging.dated_assessments
  where status = 'approved'
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
