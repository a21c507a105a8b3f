-- grain: resource, record_id, changed_at
-- why: events that show a name which a type, a field or an option no longer has
with shown as (
  select * from marts.changes
),
types as (
  select 'assets' as resource, asset_type_id as type_id, name from main.asset_types
  union all
  select unnest(['assessments', 'schedules']) as resource, assessment_type_id as type_id, name from main.assessment_types
),
chosen as (
  select distinct type_id, field, option_ids, shown_as
  from (
    select type_id, field, old_option_ids as option_ids, old_value as shown_as from shown where old_option_ids is not null
    union all
    select type_id, field, new_option_ids, new_value from shown where new_option_ids is not null
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
  select resource, record_id, changed_at
  from shown
  left join types using (resource, type_id)
  where shown.type is distinct from types.name
  union
  select resource, record_id, changed_at
  from shown
  join main.asset_type_fields as fields on fields.asset_type_id = shown.type_id and fields.field_id = shown.field
  where resource = 'assets' and fields.label is distinct from shown.label
  union
  select resource, record_id, changed_at
  from shown
  semi join stale using (type_id, field)
  where resource = 'assets'
)
select resource, record_id, changed_at from renamed
