-- grain: run_id, resource, change, name
-- why: a renamed label keeps its column, so people must be able to find its old name, and anything added or removed
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
)
select $run_id as run_id, 'asset_types' as resource, change, name, before, after
from (from type_changes union all from field_changes)
where change is not null
