-- why: an id that no record has or had is perhaps mistyped, which nothing else would show
with given as (
  select unnest($kinds) as kind, unnest($ids) as id, generate_subscripts($ids, 1) as place
),
known as (
  select 'asset' as kind, asset_id as id from history.assets
  union all
  select 'assessment', assessment_id from history.assessments
  union all
  select 'asset_type', asset_type_id from asset_types
  union all
  select 'assessment_type', assessment_type_id from assessment_types
  union all
  select 'property', property_id from marts.properties
  union all
  select 'property', property_id from history.assets_typed
  union all
  select 'property', property_id from history.assessments_typed
  union all
  select 'property', property_id from history.schedules_typed
)
select kind, id from given anti join known using (kind, id) order by place
