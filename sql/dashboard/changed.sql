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
  select user_id, any_value(user_name) as user_name
  from marts.schedule_assignees
  where user_id is not null and user_name is not null
  group by user_id
),
names as (
  select map(coalesce(list(user_id), []), coalesce(list(user_name), [])) as of_users from users
),
spelt as (
  select
    seen.*,
    list_transform([old_value, new_value], lambda value: case
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
  from seen
  cross join names
)
select
  coalesce(properties.property_label, properties.property_name, spelt.property_id) as property,
  spelt.resource,
  spelt.type,
  spelt.change,
  spelt.label as field,
  spelt.sides[1] as before,
  spelt.sides[2] as after,
  spelt.record_id as record
from spelt
left join marts.properties using (property_id)
order by
  list_position(['assessments', 'schedules', 'assets'], spelt.resource),
  spelt.change,
  spelt.label,
  property,
  record
