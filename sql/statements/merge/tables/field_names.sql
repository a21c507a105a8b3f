-- why: a field keeps the name of its column
select asset_type_id, field_id, column_name from main.asset_type_fields
