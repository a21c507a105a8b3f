-- why: a field that history shows must go from all of it before anything is published. A rebuild has no other tables yet
select
  exists (from main.asset_type_fields where list_contains($ids, field_id))
  or exists (from history.asset_field_values where list_contains($ids, field_id))
  or exists (from history.asset_types where list_bool_or(list_transform($ids, lambda one: contains(payload::varchar, one))))
  or exists (from history.assets where list_bool_or(list_transform($ids, lambda one: contains(payload::varchar, one))))
