-- grain: day, assessment_type_id
-- why: the name of each assessment type at the end of each day to count. Before its first version a type has its first name
-- if that day requires it, or if nothing was known then. Otherwise a new type would show in days before anybody had made it
with days as (
  select day, ends_at, is_known from staging.counted_days
),
versions as (
  select assessment_type_id, valid_from, name from staging.assessment_type_versions
),
required as (
  select distinct day, assessment_type_id from staging.compliance_on_days
),
of_days as (
  select
    day,
    is_known,
    assessment_type_id,
    name,
    valid_from,
    coalesce(valid_from < ends_at, true) as is_of_then
  from days
  cross join versions
),
chosen as (
  select *
  from of_days
  qualify row_number() over (
    partition by day, assessment_type_id
    order by is_of_then desc, if(is_of_then, valid_from, null) desc, valid_from
  ) = 1
)
select day, assessment_type_id, name
from chosen
left join required using (day, assessment_type_id)
where is_of_then or not is_known or required.day is not null
