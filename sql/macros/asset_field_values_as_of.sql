-- The field values as they were at a moment, with the property and the type that the asset had then.
create or replace macro asset_field_values_as_of(ts) as table
  select
    shown.asset_id,
    versions.property_id,
    versions.asset_type_id,
    shown.* exclude (asset_id, property_id, asset_type_id)
  from history.asset_field_values as shown
  join history.assets_typed as versions on versions.asset_id = shown.asset_id,
  {{asked}}
  where shown.valid_from <= asked.moment
    and (shown.valid_to is null or shown.valid_to > asked.moment)
    and versions.valid_from <= asked.moment
    and (versions.valid_to is null or versions.valid_to > asked.moment)
    and versions.change not in ('delete', 'erase')
  union all
  -- as in the macros for one table: also a filter that fits no row asks for the moment
  (
    select
      shown.asset_id,
      versions.property_id,
      versions.asset_type_id,
      shown.* exclude (asset_id, property_id, asset_type_id)
    from {{asked}}
    left join history.asset_field_values as shown on false
    left join history.assets_typed as versions on false
    where asked.moment is null
    limit 1
  );

comment on macro table asset_field_values_as_of is 'The field values as they were at a moment: asset_field_values_as_of(date ''2026-03-02'')';
