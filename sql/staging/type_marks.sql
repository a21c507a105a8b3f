-- grain: asset_type_id
-- why: a row of the register rests on its type's name, fields, options and roles; a change or a new order makes it again
with parts as (
  select asset_type_id, concat_ws('|', 'type', name) as part from main.asset_types
  union all
  select asset_type_id, concat_ws('|', 'field', field_id, kind, is_listed, position) from main.asset_type_fields
  union all
  select asset_type_id, concat_ws('|', 'option', field_id, option_id, label) from main.asset_field_options
  union all
  select asset_type_id, concat_ws('|', 'role', field_id, role) from ops.roles
)
select asset_type_id, md5(string_agg(part, '||' order by part)) as type_mark
from parts
group by asset_type_id
