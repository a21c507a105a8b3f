-- grain: resource, key_1, key_2
-- why: records with an event that shows a name which a type, a field or an option no longer has. Few names are shown,
-- whatever the number of events, and fewer are stale
with types as (
  select 'assets' as resource, asset_type_id as type_id, name from main.asset_types
  union all
  select unnest(['assessments', 'schedules']) as resource, assessment_type_id as type_id, name from main.assessment_types
),
shown_types as (
  select distinct resource, type_id, type from marts.changes
),
stale_types as (
  select resource, type_id, type
  from shown_types
  left join types using (resource, type_id)
  where shown_types.type is distinct from types.name
),
detailed as (
  select * from marts.changes where field is not null
),
chosen as (
  select distinct type_id, field, option_ids, shown_as
  from (
    select type_id, field, old_option_ids as option_ids, old_value as shown_as from detailed where old_option_ids is not null
    union all
    select type_id, field, new_option_ids, new_value from detailed where new_option_ids is not null
  )
),
spelt as (
  select
    chosen.*,
    array_to_string(list_transform(option_ids, lambda option: coalesce(options.labels[option], option)), '; ') as named
  from chosen
  join (
    select asset_type_id, field_id, map(list(option_id), list(label)) as labels
    from main.asset_field_options
    group by asset_type_id, field_id
  ) as options on options.asset_type_id = chosen.type_id and options.field_id = chosen.field
),
stale as (
  select type_id, field from spelt where named is distinct from shown_as
),
renamed as (
  select shown.resource, record_id, property_id, shown.type_id
  from marts.changes as shown
  semi join stale_types
    on stale_types.resource = shown.resource
    and stale_types.type_id = shown.type_id
    and stale_types.type is not distinct from shown.type
  union all
  select resource, record_id, property_id, type_id
  from detailed as shown
  join main.asset_type_fields as fields on fields.asset_type_id = shown.type_id and fields.field_id = shown.field
  where resource = 'assets' and fields.label is distinct from shown.label
  union all
  select resource, record_id, property_id, type_id
  from detailed
  semi join stale using (type_id, field)
  where resource = 'assets'
)
select distinct
  resource,
  if(resource = 'schedules', property_id, record_id) as key_1,
  if(resource = 'schedules', type_id, '') as key_2
from renamed
