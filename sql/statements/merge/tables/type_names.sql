-- why: a type keeps the name of its table, also after a night that showed the type without a name
with types as (
  select asset_type_id, table_name, name from main.asset_types
),
former as (
  select asset_type_id, arg_max(payload->>'$.name', valid_to) as name
  from history.asset_types
  where valid_to is not null and payload->>'$.name' is not null
  group by asset_type_id
)
select asset_type_id, table_name, coalesce(types.name, former.name) as name
from types
left join former using (asset_type_id)
order by table_name
