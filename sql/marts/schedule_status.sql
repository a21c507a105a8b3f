-- grain: property_id, assessment_type_id
-- why: when each type of assessment is due at each property, who does it, how often it was put off, and the last approval
with schedules as (
  select
    property_id,
    assessment_type_id,
    status,
    due_date,
    assigned_users,
    staging.is_finished(status) as is_finished,
    true as has_schedule
  from main.schedules
),
teams as (
  -- few sets of users have many schedules
  select assigned_users, unnest(list_distinct(assigned_users)) as user_id
  from (select distinct assigned_users from main.schedules)
),
assignees as (
  select
    assigned_users,
    array_to_string(list_sort(list(coalesce(label, user_id))), '; ') as assignees,
    count(*)::integer as assignee_count
  from teams
  left join staging.listed_users using (user_id)
  group by assigned_users
),
reports as (
  select distinct assessment_id from main.documents where kind = 'report' and state = 'stored'
)
select
  property_id,
  properties.name as property_name,
  properties.region,
  assessment_type_id,
  types.name as assessment_type,
  coalesce(has_schedule, false) as has_schedule,
  schedules.status,
  schedules.due_date,
  if(is_finished and schedules.due_date is not null, 0, staging.days_overdue($today, schedules.due_date)) as days_overdue,
  case
    when has_schedule is null then 'no schedule'
    when is_finished then 'finished'
    else staging.due_band($today, schedules.due_date)
  end as due_band,
  assignees,
  coalesce(assignee_count, 0) as assignee_count,
  coalesce(moved_later_count, 0) as moved_later_count,
  coalesce(moved_unapproved_count, 0) as moved_unapproved_count,
  approvals.performed_on as last_approved_on,
  date_source,
  approvals.assessment_id as last_assessment_id,
  lapsed.performed_on as lapsed_approved_on,
  late.due_date as last_due_date,
  (approvals.performed_on - late.due_date)::integer as last_days_late,
  if(approvals.assessment_id is null, null, reports.assessment_id is not null) as has_report
from schedules
full join staging.last_approvals as approvals using (property_id, assessment_type_id)
left join assignees using (assigned_users)
left join staging.lapsed_approvals as lapsed using (property_id, assessment_type_id)
left join staging.moved_schedules using (property_id, assessment_type_id)
left join staging.due_when_approved as late using (property_id, assessment_type_id)
left join reports on reports.assessment_id = approvals.assessment_id
left join staging.listed_properties as properties using (property_id)
left join (select assessment_type_id, name from main.assessment_types) as types using (assessment_type_id)
