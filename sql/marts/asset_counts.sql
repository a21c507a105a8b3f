-- grain: day, asset_type_id, property_id
-- why: a row for each day on which the number of a property's assets of a type changed. A row holds on until the next one.
-- An asset that moves goes from one place and comes to another
with events as (
  select
    (changed_at at time zone $time_zone)::date as day,
    any_value(change) as change,
    any_value(property_id) as property_id,
    any_value(type_id) as asset_type_id,
    bool_or(is_first_load) as is_first_load,
    coalesce(bool_or(field = 'property_id'), false) as has_moved,
    coalesce(bool_or(field = 'asset_type_id'), false) as has_other_type,
    max(old_value) filter (field = 'property_id') as old_property_id,
    max(old_value) filter (field = 'asset_type_id') as old_type_id
  from marts.changes
  where resource = 'assets' and (change <> 'changed' or field in ('property_id', 'asset_type_id'))
  group by record_id, changed_at
),
steps as (
  select
    day,
    asset_type_id,
    property_id,
    if(change = 'deleted', -1, 1) as step,
    case when change = 'changed' then 'moved in' when not is_first_load then change end as how
  from events
  union all
  select
    day,
    if(has_other_type, old_type_id, asset_type_id),
    if(has_moved, old_property_id, property_id),
    -1,
    'moved out'
  from events
  where change = 'changed'
),
counted as (
  select
    day,
    asset_type_id,
    property_id,
    sum(step) as difference,
    count(*) filter (how = 'new') as new,
    count(*) filter (how = 'returned') as returned,
    count(*) filter (how = 'deleted') as deleted,
    count(*) filter (how = 'moved in') as moved_in,
    count(*) filter (how = 'moved out') as moved_out
  from steps
  group by day, asset_type_id, property_id
)
select
  counted.day,
  counted.asset_type_id,
  types.name as asset_type,
  counted.property_id,
  properties.name as property_name,
  sum(difference) over (
    partition by counted.asset_type_id, counted.property_id order by counted.day
  )::bigint as assets,
  counted.new,
  counted.returned,
  counted.deleted,
  counted.moved_in,
  counted.moved_out
from counted
left join (select asset_type_id, name from main.asset_types) as types on types.asset_type_id = counted.asset_type_id
left join staging.listed_properties as properties on properties.property_id = counted.property_id
