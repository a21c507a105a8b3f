-- why: the doctor names fields and members that may be about people; a hidden one is not among them
with members as (
  select table_name, source from ops.columns where table_schema = 'main'
),
places as (
  select unnest(['assets', 'assessments', 'schedules']) as table_name, table_name as place
  union
  select resource, resource from ops.resources
  union
  select 'assessment_flags', concat('assessments.', array_to_string((paths -> 0)::varchar[], '.'))
  from ops.shapes where resource = 'assessments' and part = 'flags'
  union
  select 'assessment_flag_history', concat_ws('.', 'assessments',
    array_to_string((flags.paths -> 0)::varchar[], '.'), array_to_string((entries.paths -> 0)::varchar[], '.'))
  from ops.shapes as flags join ops.shapes as entries using (resource)
  where resource = 'assessments' and flags.part = 'flags' and entries.part = 'flag_history'
)
select distinct label from asset_type_fields
union
select concat(place, '.', source) from members join places using (table_name)
order by all
