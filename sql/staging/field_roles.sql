-- grain: asset_type_id, field_id
-- why: the roles that each field plays for the register
with fields as (
  select
    asset_type_id,
    field_id,
    is_listed,
    row_number() over (partition by asset_type_id order by is_listed desc, position, field_id) as place
  from main.asset_type_fields
)
select
  fields.asset_type_id,
  fields.field_id,
  fields.is_listed,
  fields.place,
  coalesce(bool_or(roles.role = 'serial'), false) as is_serial,
  coalesce(bool_or(roles.role = 'condition'), false) as is_condition,
  coalesce(bool_or(roles.role = 'result'), false) as is_result,
  coalesce(bool_or(roles.role = 'installed'), false) as is_installed,
  coalesce(bool_or(roles.role = 'next_due'), false) as is_next_due
from fields
left join ops.roles as roles on roles.asset_type_id = fields.asset_type_id and roles.field_id = fields.field_id
group by fields.asset_type_id, fields.field_id, fields.is_listed, fields.place
