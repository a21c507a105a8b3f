-- title: What changed
-- of: marts.changes
-- why: each record and field that changed, as the last run saw it and those in the 20 hours before
with seen as (
  select changes.*, fields.kind
  from marts.changes
  left join main.asset_type_fields as fields
    on fields.asset_type_id = changes.type_id and fields.field_id = changes.field
  where not changes.is_first_load
    and changes.changed_at > (
      select max(started_at) from ops.runs where run_id in (select run_id from ops.run_resources)
    ) - interval 20 hours
),
users as (
  select user_id, any_value(user_label) as user_label
  from marts.schedule_assignees
  where user_id is not null and user_name is not null
  group by user_id
),
names as (
  select map(coalesce(list(user_id), []), coalesce(list(user_label), [])) as of_users from users
),
places as (
  -- a record that moved has ids as values
  select 'property_id' as field, property_id as id, property_label as words from marts.properties
  union all
  select 'asset_type_id', asset_type_id, name from main.asset_types
  union all
  select 'assessment_type_id', assessment_type_id, type_label from main.assessment_types
),
flags as (
  -- changes have no values of arrays. Of an assessment's flags, the present ones say more than two dashes
  select assessment_id, string_agg(counted || ' ' || state, ', ' order by state) as states
  from (
    select assessment_id, state, count(*) as counted
    from marts.flags
    where assessment_id in (select record_id from seen where resource = 'assessments' and field = 'flags')
    group by assessment_id, state
  )
  group by assessment_id
),
completed as (
  select
    seen.*,
    coalesce(places_before.words, old_value) as value_before,
    if(
      resource = 'assessments' and seen.field = 'flags',
      'flags now: ' || coalesce(flags.states, 'none'),
      coalesce(places_now.words, new_value)
    ) as value_now
  from seen
  left join flags on flags.assessment_id = seen.record_id
  left join places as places_before on places_before.field = seen.field and places_before.id = old_value
  left join places as places_now on places_now.field = seen.field and places_now.id = new_value
),
spelt as (
  select
    seen.*,
    list_transform([value_before, value_now], lambda value: case
      when resource = 'schedules' and field = 'assigned_users' then if(
        coalesce(value, '') = '',
        'nobody',
        array_to_string(
          list_transform(string_split(value, '; '), lambda id: coalesce(names.of_users[id], 'user ' || id)), '; '
        )
      )
      when value is not null and kind = 'pin' then 'a place on a plan'
      when kind in ('file', 'image') and regexp_matches(value, '^[{\[]|://')
        then coalesce(try_cast(value as json) ->> '$.name', 'a file')
      else value
    end) as sides
  from completed as seen
  cross join names
)
select
  coalesce(properties.property_label, properties.property_name, spelt.property_id) as property,
  spelt.resource,
  coalesce(types.type_label, spelt.type, spelt.type_id) as type,
  spelt.change,
  spelt.label as field,
  spelt.sides[1] as before,
  spelt.sides[2] as after,
  spelt.record_id as record
from spelt
left join marts.properties using (property_id)
left join (select assessment_type_id, type_label from main.assessment_types) as types
  on types.assessment_type_id = spelt.type_id and spelt.resource <> 'assets'
order by
  list_position(['assessments', 'schedules', 'assets'], spelt.resource),
  spelt.change,
  spelt.label,
  property,
  record
