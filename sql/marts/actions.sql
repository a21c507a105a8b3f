-- grain: assessment_id, action_id
-- why: every action that a bundle ever showed, and how far its closing can be believed
with places as (
  select assessment_id, property_id, assessment_type_id, true as is_in_api from main.assessments
  union all
  select
    assessment_id,
    arg_max(property_id, valid_from),
    arg_max(assessment_type_id, valid_from),
    false
  from history.assessments_earlier
  anti join main.assessments using (assessment_id)
  group by assessment_id
),
actions as (
  select
    rows.*,
    places.property_id,
    places.assessment_type_id,
    coalesce(is_in_api, false) as is_in_api,
    ends.first_at,
    ends.closed_at,
    ends.last_other_at,
    ends.is_current,
    if((ends.is_current and is_in_api) or rows.state = 'closed', rows.state, 'unknown') as known_state
  from staging.bundle_rows as rows
  join staging.action_ends as ends
    on ends.assessment_id = rows.assessment_id
    and ends.action_id = rows.action_id
    and ends.text_sha256 = rows.text_sha256
  left join places on places.assessment_id = rows.assessment_id
),
bundles as (
  select assessment_id, fetched_at, asked_at from staging.bundle_documents where is_latest
),
reports as (
  -- a report that only differs in its bytes is no newer one
  select assessment_id, max(fetched_at) as replaced_at
  from main.documents
  where kind = 'report' and state = 'stored' and version > 1 and same_text_as is null
  group by assessment_id
),
dated as (
  select
    actions.*,
    staging.day_written(raised, $time_zone) as raised_day,
    staging.day_written(due, $time_zone) as due_date,
    staging.day_written(closed, $time_zone) as closed_day,
    staging.amount(cost) as amount,
    (first_at at time zone $time_zone)::date as first_day,
    (closed_at at time zone $time_zone)::date as closing_day
  from actions
),
settled as (
  select
    *,
    -- one that was closed before propsync knew its bundle was raised nobody knows when
    coalesce(
      raised_day,
      if(closed_day < first_day or (known_state = 'closed' and last_other_at is null), null, first_day)
    ) as raised_on,
    if(known_state = 'closed', coalesce(closed_day, closing_day), null) as closed_on
  from dated
),
ranks as (
  select written, staging.rank_of(written, $priority_order)::integer as priority_rank
  from (select distinct priority as written from actions)
),
described as (
  select
    settled.*,
    properties.name as property_name,
    types.name as assessment_type,
    bundles.fetched_at as bundle_fetched_at,
    bundles.asked_at as bundle_asked_at,
    -- one run fetches reports and bundles in no order, so a report of the same day shows no more than the bundle
    coalesce(
      (reports.replaced_at at time zone $time_zone)::date > (settled.last_other_at at time zone $time_zone)::date,
      false
    ) as has_newer_report
  from settled
  left join bundles on bundles.assessment_id = settled.assessment_id
  left join reports on reports.assessment_id = settled.assessment_id
  left join (select assessment_type_id, name from main.assessment_types) as types on types.assessment_type_id = settled.assessment_type_id
  left join staging.listed_properties as properties on properties.property_id = settled.property_id
),
closing_days as (
  select property_id as closing_property_id, closed_on as closing_date
  from described
  where closed_on is not null and property_id is not null
  group by property_id, closed_on
  having count(*) >= 10
)
select
  described.assessment_id,
  described.action_id,
  described.reference,
  described.property_id,
  described.property_name,
  described.assessment_type_id,
  described.assessment_type,
  described.title,
  described.location,
  described.known_state as state,
  case known_state when 'open' then true when 'closed' then false end as is_open,
  described.status,
  described.is_current,
  described.is_in_api,
  described.raised_on,
  case
    when described.raised_on is null then null
    when described.raised_day is null then 'the first bundle that shows it'
    else 'the bundle'
  end as raised_source,
  described.closed_on,
  case
    when described.closed_on is null then null
    when described.closed_day is null then 'the first bundle that shows it closed'
    else 'the bundle'
  end as closed_source,
  staging.age_in_days(raised_on, coalesce(closed_on, if(known_state = 'closed', null, $today)), $today) as age_days,
  described.due_date,
  if(known_state = 'open', staging.days_since(described.due_date, $today), null) as days_overdue,
  described.priority,
  ranks.priority_rank,
  described.responsible,
  described.amount as cost,
  described.has_evidence,
  described.has_newer_report,
  known_state = 'closed' and not described.has_evidence and not described.has_newer_report as closed_without_evidence,
  closing_days.closing_date is not null as closed_en_masse,
  described.bundle_fetched_at,
  described.bundle_asked_at,
  staging.days_since((described.bundle_asked_at at time zone $time_zone)::date, $today) as bundle_age_days,
  if(described.due_date is null, described.due, null) as due_date_misfit,
  if(described.amount is null, described.cost, null) as cost_misfit,
  staging.day_misfit(described.raised, described.raised_day, null, $today) as raised_misfit,
  if(
    described.state = 'open', null, staging.day_misfit(described.closed, described.closed_day, described.raised_day, $today)
  ) as closed_misfit
from described
left join ranks on ranks.written = described.priority
left join closing_days
  on closing_days.closing_property_id = described.property_id and closing_days.closing_date = described.closed_on
