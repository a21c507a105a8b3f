-- grain: property_id, assessment_type_id
-- why: whether each required assessment is in date, and why. What nothing shows is unknown, never green
with verdicts as (
  select
    count(first_complete_at) = 2 as is_read,
    max(first_complete_at) filter (resource = 'assessments') as first_read_at,
    staging.verdict_of_both(verdict) as verdict,
    if(count(complete_on) = 2, min(complete_on), null) as complete_on,
    string_agg(resource, ' and ' order by resource) filter (verdict in ('incomplete', 'failed')) as unread,
    string_agg(resource, ' and ' order by resource) filter (verdict is null) as never_asked
  from (select unnest(['assessments', 'schedules']) as resource) as both_lists
  left join staging.read_verdicts using (resource)
),
schedules as (
  select property_id, assessment_type_id, due_date from main.schedules where not staging.is_finished(status)
),
-- a wrong date, which the property has nevertheless
to_come as (
  select property_id, assessment_type_id, max(performed_on) as performed_on
  from staging.dated_assessments
  where staging.is_approved(status) and performed_on > $today
  group by property_id, assessment_type_id
),
known as (
  select
    required.*,
    due_date,
    approvals.performed_on,
    approvals.assessment_id,
    date_source,
    coalesce(approvals.is_dated, false) as is_dated,
    undated_on,
    undecided.every_months as perhaps_months,
    undecided.lacking,
    if(lapsed.performed_on > coalesce(approvals.performed_on, '-infinity'), lapsed.performed_on, null) as lapsed_on,
    lapsed.is_dated as lapsed_is_dated,
    lapsed.why as lapsed_why,
    to_come.performed_on as to_come_on
  from staging.required as required
  cross join verdicts
  left join schedules using (property_id, assessment_type_id)
  left join staging.last_approvals as approvals using (property_id, assessment_type_id)
  left join staging.lapsed_approvals as lapsed using (property_id, assessment_type_id)
  left join to_come using (property_id, assessment_type_id)
  left join staging.undecided_requirements as undecided using (property_id, assessment_type_id)
),
dated as (
  select
    *,
    staging.is_by_interval($today, every_months, performed_on, is_dated) as by_interval,
    staging.next_due($today, every_months, performed_on, is_dated, due_date) as next_due
  from known
),
judged as (
  select
    *,
    staging.standing(
      $today,
      $due_soon_days,
      by_interval,
      performed_on,
      is_dated,
      next_due,
      staging.is_perhaps_later($today, every_months, by_interval, is_dated, next_due, undated_on)
    ) as standing
  from dated
)
select
  property_id,
  properties.name as property_name,
  properties.region,
  properties.homes,
  assessment_type_id,
  types.name as assessment_type,
  staging.undecided_state(
    staging.compliance_state(standing, is_read),
    $today,
    perhaps_months,
    performed_on,
    is_dated
  ) as state,
  staging.compliance_reason(
    standing,
    every_months,
    performed_on,
    is_dated,
    date_source,
    next_due,
    is_read or never_asked is not null
  )
    || if(standing = 'perhaps later', strftime(undated_on, '; one approved on %-d %B %Y or before has no date'), '')
    || staging.lapsed_reason(performed_on, lapsed_on, lapsed_is_dated, lapsed_why)
    || coalesce(strftime(to_come_on, '; one is dated %-d %B %Y, after today, and does not count'), '')
    || if(lacking is null, '', concat('; perhaps every ', perhaps_months, ' months: your list of properties gives no ', lacking))
    || coalesce('; the last run did not read the ' || unread || ' completely', '')
    || coalesce('; no run was asked to read the ' || never_asked, '') as reason,
  next_due as due_date,
  performed_on as last_approved_on,
  date_source,
  assessment_id as last_assessment_id,
  if(first_read_at is null, null, assessment_id is null) as is_missing,
  every_months,
  judged.source as requirement_source,
  verdict,
  complete_on as complete_read_on
from judged
cross join verdicts
left join staging.listed_properties as properties using (property_id)
left join (select assessment_type_id, name from main.assessment_types) as types using (assessment_type_id)
