-- why: the listed fields of each type, by whose labels and kinds propsync finds those that play a role
select asset_type_id, coalesce(types.name, '') as asset_type, field_id, label, coalesce(kind, 'text') as kind
from main.asset_type_fields
join (select asset_type_id, name from main.asset_types) as types using (asset_type_id)
where asset_type_fields.is_listed and label is not null
order by asset_type_id, position, field_id
