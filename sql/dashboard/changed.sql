-- title: What changed last night
-- of: marts.changes
-- why: each record and field that changed, as the last run saw it and those in the 20 hours before
select
  coalesce(properties.property_name, changes.property_id) as property,
  changes.resource,
  changes.type,
  changes.change,
  changes.label as field,
  changes.old_value as before,
  changes.new_value as after,
  changes.record_id as record
from marts.changes
left join marts.properties using (property_id)
where not changes.is_first_load
  and changes.changed_at > (
    select max(started_at) from ops.runs where run_id in (select run_id from ops.run_resources)
  ) - interval 20 hours
order by
  list_position(['assessments', 'schedules', 'assets'], changes.resource),
  changes.change,
  changes.label,
  property,
  record
