-- severity: fail
-- why: a current table holds exactly the versions that are not gone, as of the last run that it was built for: where
-- building failed, yesterday's rows stay
with built as (
  select built_through from ops.tables where table_schema = 'main' and table_name = 'schedules' and built_through is not null
),
shown as (
  select property_id, assessment_type_id from main.schedules where exists (from built)
),
latest as (
  select property_id, assessment_type_id
  from history.schedules
  join built on valid_from <= built_through and (valid_to is null or valid_to > built_through)
  where change <> 'delete'
)
(select property_id, assessment_type_id from latest except all select property_id, assessment_type_id from shown)
union all
(select property_id, assessment_type_id from shown except all select property_id, assessment_type_id from latest)
