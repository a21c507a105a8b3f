-- grain: record_id, issue
-- why: a number that nobody can read is no mistake that keeps a list back, and people need to see it
with read as (
  select property_id, homes as number_homes, height_m as number_height, built_year as number_year
  from staging.listed_properties
),
judged as (
  select
    texts.property_id,
    unnest([
      if(number_homes is null, 'homes is ''' || homes || ''': write a whole number', null),
      if(number_height is null, 'height_m is ''' || height_m || ''': write metres as a number, such as 17.5', null),
      if(number_year is null, 'built_year is ''' || built_year || ''': write a year, such as 1965', null)
    ]) as issue
  from staging.listed_property_texts as texts
  join read using (property_id)
)
select
  'properties' as list,
  $file as file,
  null::bigint as line,
  property_id as record_id,
  issue,
  false as is_mistake,
  $run_id as run_id
from judged
where issue is not null
