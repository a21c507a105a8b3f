-- grain: asset_type_id
-- why: a type's table has the name of the type when a list first showed it, so that its name follows from history
with named as (
  select asset_type_id, payload->>'$.name' as name, change not in ('delete', 'erase') as is_listed, valid_from
  from history.asset_types
  where payload->>'$.name' is not null
),
first_named as (
  select asset_type_id, min(valid_from) as named_at, arg_min(name, valid_from) as name, arg_min(is_listed, valid_from) as was_listed
  from named
  group by asset_type_id
)
select definitions.asset_type_id, first_named.name, first_named.named_at, coalesce(first_named.was_listed, false) as was_listed
from staging.type_definitions as definitions
left join first_named using (asset_type_id)
