-- why: the columns of each type's table, in the order of its fields
select asset_type_id, field_id, column_name, kind, label
from main.asset_type_fields
order by asset_type_id, position, field_id
