-- grain: day, property_id, assessment_type_id
-- why: where each required assessment stood at the end of an earlier day, by what propsync had read by then
with days as (
  select day, ends_at from staging.counted_days where is_known and ends_at is not null
),
first_reads as (
  select
    if(count(first_complete_at) = 2, max(first_complete_at), null) as all_read_at,
    max(first_complete_at) filter (resource = 'assessments') as first_read_at
  from staging.read_verdicts
  where resource in ('assessments', 'schedules')
),
approved as (
  select assessment_id, property_id, assessment_type_id, {{assessment_date}} as date_written, valid_from, valid_to
  from history.assessments_typed
  where staging.is_approved(status) and change not in ('delete', 'erase') and exists (from days)
),
first_approvals as (
  select assessment_id, min(valid_from) as approved_at from approved group by assessment_id
),
dated as (
  select
    approved.*,
    approved_at,
    staging.day_written(date_written, $time_zone) as day_written,
    (approved_at at time zone $time_zone)::date as day_seen,
    coalesce(day_written is not null or approved_at > first_read_at, false) as is_dated
  from approved
  join first_approvals using (assessment_id)
  cross join first_reads
),
approvals as (
  select
    day,
    property_id,
    assessment_type_id,
    max(struct_pack(
      is_dated := is_dated,
      performed_on := coalesce(day_written, day_seen),
      approved_at := approved_at,
      assessment_id := assessment_id
    )) as latest,
    max(day_seen) filter (not is_dated) as undated_on
  from dated
  join days on valid_from < ends_at and coalesce(valid_to >= ends_at, true)
  where coalesce(day_written, day_seen) <= day
  group by day, property_id, assessment_type_id
),
schedules as (
  -- a schedule may have a member called ends_at or day
  select days.day, property_id, assessment_type_id, due_date
  from history.schedules_typed
  join days on valid_from < days.ends_at and coalesce(valid_to >= days.ends_at, true)
  where change not in ('delete', 'erase') and not staging.is_finished(status)
),
-- what was required by then, not by now: an assessment that moves leaves its property's earlier days as they were
last_approved as (
  select
    day,
    assessment_id,
    arg_max(struct_pack(property_id := property_id, assessment_type_id := assessment_type_id), valid_from) as place
  from approved
  join days on valid_from < ends_at
  group by day, assessment_id
),
sighted as (
  select day, property_id, assessment_type_id
  from history.schedules
  join days on valid_from < ends_at
  union
  select day, place.property_id, place.assessment_type_id
  from last_approved
),
required as (
  select day, ends_at, property_id, assessment_type_id, every_months, perhaps_months
  from staging.requirements_then
  join days using (day)
  where is_required
  union all
  select day, ends_at, property_id, assessment_type_id, null, null
  from sighted
  join days using (day)
  left join staging.listed_properties as listed using (property_id)
  where property_id is not null
    and assessment_type_id is not null
    and staging.is_managed(day, managed_from, managed_until)
    and not exists (from staging.stated_requirements)
),
known as (
  select
    required.*,
    due_date,
    latest.performed_on,
    latest.is_dated,
    latest.assessment_id,
    undated_on,
    coalesce(all_read_at < ends_at, false) as is_read
  from required
  cross join first_reads
  left join schedules using (day, property_id, assessment_type_id)
  left join approvals using (day, property_id, assessment_type_id)
),
basis as (
  select
    *,
    staging.is_by_interval(day, every_months, performed_on, is_dated) as by_interval,
    staging.next_due(day, every_months, performed_on, is_dated, due_date) as next_due
  from known
)
select
  day,
  property_id,
  assessment_type_id,
  staging.undecided_state(
    staging.compliance_state(
      staging.standing(
        day,
        $due_soon_days,
        by_interval,
        performed_on,
        is_dated,
        next_due,
        staging.is_perhaps_later(day, every_months, by_interval, is_dated, next_due, undated_on)
      ),
      is_read
    ),
    day,
    perhaps_months,
    performed_on,
    is_dated
  ) as state,
  next_due as due_date,
  performed_on as last_approved_on,
  assessment_id as last_assessment_id,
  every_months
from basis
