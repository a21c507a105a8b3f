-- title: What changed, by kind
-- of: marts.changes
-- why: how many records changed in which way, as the last run saw it and those in the 20 hours before. First reads, of
-- which there may be millions, have one row a record
with recent as (
  select *
  from marts.changes
  where changed_at > (
    select max(started_at) from ops.runs where run_id in (select run_id from ops.run_resources)
  ) - interval 20 hours
),
later as (
  select
    resource,
    change,
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
  from recent
  where not is_first_load
  group by all
)
select * from later
union all
select resource, 'first read', null, null, count(*) from recent where is_first_load group by resource
order by resource, change, records desc, field, how
