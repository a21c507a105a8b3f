-- why: doctor shows what the marts rest on; a role without a field in any type is empty
with roles as (
  select unnest(['condition', 'installed', 'next_due', 'result', 'serial']) as role
),
fields as (
  select role, roles.source, types.name || ': ' || fields.label as field
  from ops.roles as roles
  join (select asset_type_id, name from main.asset_types) as types using (asset_type_id)
  join main.asset_type_fields as fields using (asset_type_id, field_id)
)
select setting, value, source, evidence from ops.desk
union all
select
  'role ' || roles.role,
  string_agg(field, '; ' order by field),
  coalesce(string_agg(distinct fields.source, ', ' order by fields.source), 'default'),
  if(count(field) = 0, 'no asset type has such a field', 'ops.roles says why')
from roles
left join fields using (role)
group by roles.role
order by all
