-- why: the fields that a column of a file may mean, in the order of their type
select asset_type_id, field_id, coalesce(label, ''), kind, column_name, is_listed
from asset_type_fields
order by asset_type_id, position, field_id
