-- grain: property_id, assessment_type_id
-- why: the last approval that shows no more: nobody may take it for evidence, or believe that there was none
with first_reads as (
  select max(first_complete_at) filter (resource = 'assessments') as first_read_at from staging.read_verdicts
),
lapsed as (
  select
    seen.property_id,
    seen.assessment_type_id,
    seen.performed_on,
    coalesce(seen.has_date or seen.approved_at > first_reads.first_read_at, false) as is_dated,
    case
      when present.assessment_id is null then 'the API no longer has that assessment'
      when not staging.is_approved(present.status) then 'that assessment is no longer approved'
      else 'that assessment now belongs elsewhere'
    end as why
  from staging.seen_approvals as seen
  cross join first_reads
  left join main.assessments as present using (assessment_id)
  where not seen.is_present and seen.performed_on <= $today
),
latest as (
  select property_id, assessment_type_id, max(struct_pack(performed_on := performed_on, is_dated := is_dated, why := why)) as latest
  from lapsed
  group by property_id, assessment_type_id
)
select property_id, assessment_type_id, unnest(latest) from latest
