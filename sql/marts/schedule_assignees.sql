-- grain: property_id, assessment_type_id, user_id
-- why: who has what due; a schedule that nobody is assigned to has a row too. Two users may have one name
with schedules as (
  select property_id, assessment_type_id, status, due_date, assigned_users
  from main.schedules
  where not staging.is_finished(status)
),
teams as (
  -- few sets of users have many schedules
  select assigned_users, unnest(if(len(list_distinct(assigned_users)) > 0, list_distinct(assigned_users), [null])) as user_id
  from (select distinct assigned_users from schedules)
),
assigned as (
  select schedules.* exclude (assigned_users), teams.user_id
  from schedules
  join teams on teams.assigned_users is not distinct from schedules.assigned_users
)
select
  assigned.property_id,
  properties.name as property_name,
  properties.region,
  assigned.assessment_type_id,
  types.name as assessment_type,
  assigned.status,
  assigned.due_date,
  staging.due_band($today, due_date) as due_band,
  staging.days_overdue($today, due_date) as days_overdue,
  assigned.user_id,
  users.name as user_name,
  coalesce(users.label, assigned.user_id) as user_label,
  users.team,
  assigned.user_id is not null as is_assigned
from assigned
left join staging.listed_properties as properties using (property_id)
left join staging.listed_users as users using (user_id)
left join (select assessment_type_id, name from main.assessment_types) as types using (assessment_type_id)
