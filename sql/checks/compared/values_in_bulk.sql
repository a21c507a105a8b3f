-- severity: warn
-- why: many records that get the same value in one run are a bulk edit, or a mistake
-- direction: up
-- share: 0.2
-- floor: 50
with chosen as (
  select asset_type_id, field_id, unnest(value_options) as option_id
  from main.asset_field_values
  where value_options is not null
),
counted as (
  select asset_type_id, field_id, option_id, count(*) as value from chosen group by all
),
assets_of_types as (
  select asset_type_id, count(*) as total from main.assets group by asset_type_id
),
statuses as (
  select 'assessments' as resource, status from main.assessments
  union all
  select 'schedules', status from main.schedules
)
select 'option ' || option_id || ' of field ' || field_id || ' of type ' || asset_type_id as subject, value, total
from counted
join assets_of_types using (asset_type_id)
union all
select
  'status ' || coalesce(status, '(none)') || ' of ' || resource,
  count(*),
  sum(count(*)) over (partition by resource)
from statuses
group by resource, status
