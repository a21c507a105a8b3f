-- why: only the values that a file shows are read, however many there are
select asset_id, field_id, kind, value_text, value_options, value_json, value_number is not null
from asset_field_values
where asset_id in (select unnest($ids)) and field_id in (select unnest($fields))
