-- title: What changed, by kind
-- of: marts.changes
-- why: how many records changed in which way, as the last run saw it and those in the 20 hours before
select
  resource,
  case when is_first_load then 'first read' else change end as change,
  label as field,
  case
    when field = 'status' then 'from ' || coalesce(old_value, 'none') || ' to ' || coalesce(new_value, 'none')
    when field = 'property_id' then 'to another property'
    when field = 'assigned_users' then 'to other people'
    when field is distinct from 'due_date' then null
    when new_value is null then 'removed'
    when old_value is null then 'set'
    when new_value > old_value then 'later'
    else 'earlier'
  end as how,
  count(distinct record_id) as records
from marts.changes
where changed_at > (
  select max(started_at) from ops.runs where run_id in (select run_id from ops.run_resources)
) - interval 20 hours
group by all
order by resource, change, records desc, field, how
