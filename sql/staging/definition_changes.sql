-- grain: run_id, resource, change, name
-- why: a renamed label keeps its column, and history shows the present labels of options. So people must be able to find
-- the old names, and anything added or removed
with types_before as (
  select * from main.asset_types
),
types_now as (
  select * from staging.type_definitions
),
fields_before as (
  select * from staging.previous_fields
),
fields_now as (
  select * from staging.field_definitions
),
options_before as (
  select * from main.asset_field_options
),
options_now as (
  select * from staging.latest_options
),
type_changes as (
  select
    case
      when before.asset_type_id is null then 'asset type new'
      when before.is_listed and not now.is_listed then 'asset type listed no more'
      when now.is_listed and not before.is_listed then 'asset type listed again'
      when before.name is distinct from now.name then 'asset type renamed'
    end as change,
    now.asset_type_id as name,
    before.name as before,
    now.name as after
  from types_now as now
  left join types_before as before using (asset_type_id)
  where exists (from types_before)
),
fields as (
  -- escapes a slash inside an id, so that no two pairs of ids have one name
  select
    *,
    replace(replace(asset_type_id, '\', '\\'), '/', '\/') || '/' || replace(replace(field_id, '\', '\\'), '/', '\/') as name
  from (select asset_type_id, field_id from fields_now union select asset_type_id, field_id from fields_before)
),
field_changes as (
  select
    case
      when before.field_id is null then 'field new'
      when now.field_id is null then 'field defined no more'
      when before.label is distinct from now.label then 'label renamed'
      when before.kind is distinct from now.kind then 'field kind changed'
      when now.is_listed and not before.is_listed then 'field defined again'
    end as change,
    fields.name,
    if(before.kind is distinct from now.kind and before.label is not distinct from now.label, before.kind, before.label) as before,
    if(before.kind is distinct from now.kind and before.label is not distinct from now.label, now.kind, now.label) as after
  from fields
  left join fields_now as now using (asset_type_id, field_id)
  left join fields_before as before using (asset_type_id, field_id)
  where exists (from fields_before) and (now.field_id is not null or before.is_listed)
),
changed_options as (
  -- the options of a new field are no news
  select
    case
      when before.option_id is null then 'option new'
      when before.is_listed and not now.is_listed then 'option offered no more'
      when now.is_listed and not before.is_listed then 'option offered again'
      when before.label is distinct from now.label then 'option renamed'
    end as change,
    fields.name,
    now.option_id,
    before.label as before,
    now.label as after
  from options_now as now
  join fields using (asset_type_id, field_id)
  semi join fields_before using (asset_type_id, field_id)
  left join options_before as before using (asset_type_id, field_id, option_id)
  where exists (from options_before)
),
option_changes as (
  -- several options of a field make one row, with their labels in one order; one without a label has its id
  select
    change,
    name,
    string_agg(coalesce(before, option_id), '; ' order by option_id) filter (change <> 'option new') as before,
    string_agg(coalesce(after, option_id), '; ' order by option_id) filter (change <> 'option offered no more') as after
  from changed_options
  group by change, name
)
select $run_id as run_id, 'asset_types' as resource, change, name, before, after
from (from type_changes union all from field_changes union all from option_changes)
where change is not null
