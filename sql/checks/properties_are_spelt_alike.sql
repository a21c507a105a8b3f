-- severity: warn
-- why: to each join, an id in other letters differs, so what one list says of the property never meets the rest. A
-- list that has both spellings shows that they are two properties
with named as (
  select distinct 'assets' as list, property_id from main.assets
  union all
  select distinct 'assessments', property_id from main.assessments
  union all
  select distinct 'schedules', property_id from main.schedules
)
select min(property_id) as property_id, max(property_id) as other_id
from named
where property_id is not null
group by lower(trim(property_id))
having min(property_id) <> max(property_id) and count(*) = count(distinct list)
order by property_id
