-- grain: day, property_id, assessment_type_id
-- why: what people's list requires on an earlier day. The list is today's. The properties are those that it names and those
-- that propsync knew by then: one that came later was none of that day's. `perhaps_months` is of a condition whose value the
-- list of properties lacks
with days as (
  select day, ends_at from staging.counted_days where is_known and ends_at is not null
),
stated as (
  select * from staging.stated_requirements
),
shown as (
  select property_id, valid_from, valid_to from history.assets_typed where change not in ('delete', 'erase')
  union all
  select property_id, valid_from, valid_to from history.assessments_typed where change not in ('delete', 'erase')
  union all
  select property_id, valid_from, valid_to from history.schedules where change not in ('delete', 'erase')
  union all
  select property_id, valid_from, valid_to from staging.listed_by_api
),
known as (
  select day, property_id
  from shown
  join days on valid_from < ends_at and coalesce(valid_to >= ends_at, true)
  where property_id is not null and exists (from stated where stated.property_id is null)
  union
  select day, property_id
  from staging.listed_properties
  cross join days
),
applying as (
  select day, known.property_id, stated.assessment_type_id, stated.every_months, true as is_true
  from known
  cross join stated
  where stated.property_id is null and stated.column_name is null
  union all
  select day, stated.property_id, stated.assessment_type_id, stated.every_months, true
  from stated
  cross join days
  where stated.property_id is not null
  union all
  select day, known.property_id, stated.assessment_type_id, stated.every_months, matches.is_true
  from known
  cross join stated
  left join staging.condition_matches as matches on matches.line = stated.line and matches.property_id = known.property_id
  where stated.column_name is not null
),
summed as (
  select
    day,
    property_id,
    assessment_type_id,
    coalesce(bool_or(is_true), false) as is_required,
    min(every_months) filter (is_true) as every_months,
    min(every_months) filter (is_true is null) as perhaps_months,
    bool_or(is_true is null) as is_open
  from applying
  group by day, property_id, assessment_type_id
)
select
  day,
  property_id,
  assessment_type_id,
  is_required,
  every_months,
  -- one that is required as often, whatever the value, leaves nothing open
  if(is_required and perhaps_months >= every_months, null, perhaps_months) as perhaps_months
from summed
left join staging.listed_properties as listed using (property_id)
where (is_required or is_open) and staging.is_managed(day, managed_from, managed_until)
