-- grain: property_id, assessment_type_id
-- why: the last approved assessment of each property and type. A date after today is a mistake, and no evidence. Of an
-- approval without a date from before the first complete read nobody knows how old it is: it counts where no other does
with first_reads as (
  select max(first_complete_at) filter (resource = 'assessments') as first_read_at from staging.read_verdicts
),
approved as (
  select dated.*, staging.is_dated(date_source, approved_at, first_read_at) as is_dated
  from staging.dated_assessments as dated
  cross join first_reads
  where staging.is_approved(status) and performed_on <= $today
),
latest as (
  select
    property_id,
    assessment_type_id,
    max(struct_pack(
      is_dated := is_dated,
      performed_on := performed_on,
      approved_at := approved_at,
      assessment_id := assessment_id,
      date_source := date_source
    )) as latest,
    max(performed_on) filter (not is_dated) as undated_on
  from approved
  group by property_id, assessment_type_id
)
select property_id, assessment_type_id, unnest(latest), undated_on from latest
