-- grain: property_id
-- why: everything about one building in one row, whether or not a list of yours has it
with reads as (
  -- before the first read of a list, its numbers are unknown
  select
    coalesce(bool_or(resource = 'assets'), false) or exists (from main.assets) as knows_assets,
    coalesce(bool_or(resource = 'assessments'), false) or exists (from main.assessments) as knows_assessments,
    coalesce(bool_or(resource = 'schedules'), false) or exists (from main.schedules) as knows_schedules
  from staging.read_verdicts
  where first_complete_at is not null
),
nothing as (
  -- what to show if nothing is counted; without a list of requirements, assessments and schedules show what is required
  select
    if(knows_assets, 0, null) as no_assets,
    if(knows_assessments, 0, null) as no_assessments,
    if(knows_schedules, 0, null) as no_schedules,
    if(
      (knows_assessments and knows_schedules)
      or exists (from marts.compliance where requirement_source = 'list'),
      0,
      null
    ) as none_required
  from reads
),
assets as (
  select property_id, count(*) as assets from main.assets where property_id is not null group by property_id
),
schedules as (
  select
    property_id,
    count(*) as schedules,
    count(*) filter (due_band = 'overdue') as overdue,
    count(*) filter (due_band = 'due in 30 days') as due_in_30_days,
    count(*) filter (due_band = 'no due date') as without_due_date,
    count(*) filter (assignee_count = 0) as unassigned,
    max(days_overdue) as most_days_overdue,
    min(due_date) filter (due_date >= $today) as next_due_date
  from marts.schedule_status
  where has_schedule and due_band <> 'finished'
  group by property_id
),
approvals as (
  select property_id, max(performed_on) filter (is_dated) as last_approved_on from staging.last_approvals group by property_id
),
assessments as (
  select
    property_id,
    count(*) as assessments,
    count(*) filter (staging.is_approved(status)) as approved_assessments,
    count(*) filter (staging.word(status) = 'inprogress') as assessments_in_progress
  from main.assessments
  where property_id is not null
  group by property_id
),
bundles as (
  select distinct assessment_id from main.documents where kind = 'bundle' and state = 'stored'
  except
  -- propsync did not read their actions, or not all of them
  select record_id from ops.value_issues where resource = 'documents' and name = 'bundle_actions'
),
-- nobody knows which actions these have
unbundled as (
  select property_id, count(*) as approved_without_bundle
  from main.assessments
  anti join bundles using (assessment_id)
  where property_id is not null and staging.is_approved(status)
  group by property_id
),
required as (
  select
    property_id,
    count(*) as required_assessments,
    if(bool_or(is_missing is null), null, count(*) filter (is_missing)) as missing_assessments,
    array_to_string(
      list_sort(list(coalesce(type_label, assessment_type, assessment_type_id)) filter (is_missing)), '; '
    ) as missing,
    count(*) filter (state = 'in date') as in_date,
    count(*) filter (state = 'due soon') as due_soon,
    count(*) filter (state = 'out of date') as out_of_date,
    count(*) filter (state = 'unknown') as unknown
  from marts.compliance
  left join (select assessment_type_id, type_label from main.assessment_types) as types using (assessment_type_id)
  group by property_id
),
flags as (
  select
    property_id,
    count(*) filter (state = 'open') as open_flags,
    max(age_days) filter (state = 'open') as oldest_flag_days,
    count(*) filter (state = 'unknown') as flags_in_unknown_state
  from marts.flags
  group by property_id
),
actions as (
  select
    property_id,
    count(*) filter (is_open) as open_actions,
    min(priority_rank) filter (is_open) as most_urgent_rank,
    count(*) filter (is_open is null) as actions_in_unknown_state
  from marts.actions
  group by property_id
),
every_id as (
  select property_id, bool_or(is_listed) as in_list, bool_or(not is_listed) as in_api
  from (
    select property_id, true as is_listed from staging.listed_properties
    union all
    select property_id, false from staging.api_properties
  )
  where property_id is not null
  group by property_id
),
labels as (
  -- a block of an estate has its name and its postcode in common with others
  select
    property_id,
    case
      when count(*) over (partition by name) = 1 then name
      when postcode is not null and count(*) over (partition by name, postcode) = 1 then name || ', ' || postcode
      else name || ', ' || property_id
    end as label
  from staging.listed_properties
  where name is not null
)
select
  property_id,
  listed.name as property_name,
  coalesce(labels.label, property_id) as property_label,
  listed.address,
  listed.postcode,
  listed.region,
  listed.uprn,
  listed.homes,
  listed.height_m,
  listed.built_year,
  in_list,
  in_api,
  coalesce(assets, no_assets) as assets,
  coalesce(assessments, no_assessments) as assessments,
  coalesce(approved_assessments, no_assessments) as approved_assessments,
  coalesce(assessments_in_progress, no_assessments) as assessments_in_progress,
  last_approved_on,
  coalesce(schedules, no_schedules) as schedules,
  coalesce(overdue, no_schedules) as overdue,
  coalesce(most_days_overdue, no_schedules) as most_days_overdue,
  coalesce(due_in_30_days, no_schedules) as due_in_30_days,
  coalesce(without_due_date, no_schedules) as without_due_date,
  coalesce(unassigned, no_schedules) as unassigned,
  next_due_date,
  coalesce(required_assessments, none_required) as required_assessments,
  if(required.property_id is null, none_required, missing_assessments) as missing_assessments,
  missing,
  coalesce(in_date, none_required) as in_date,
  coalesce(due_soon, none_required) as due_soon,
  coalesce(out_of_date, none_required) as out_of_date,
  coalesce(unknown, none_required) as unknown,
  coalesce(open_flags, no_assessments) as open_flags,
  oldest_flag_days,
  coalesce(flags_in_unknown_state, no_assessments) as flags_in_unknown_state,
  coalesce(open_actions, no_assessments) as open_actions,
  most_urgent_rank,
  coalesce(actions_in_unknown_state, no_assessments) as actions_in_unknown_state,
  coalesce(approved_without_bundle, no_assessments) as approved_without_bundle,
  listed.managed_from,
  listed.managed_until
from every_id
cross join nothing
left join staging.listed_properties as listed using (property_id)
left join labels using (property_id)
left join assets using (property_id)
left join schedules using (property_id)
left join approvals using (property_id)
left join assessments using (property_id)
left join required using (property_id)
left join flags using (property_id)
left join actions using (property_id)
left join unbundled using (property_id)
