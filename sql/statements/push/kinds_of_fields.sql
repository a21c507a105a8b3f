-- why: where a field result does not name its kind, the kind is that of its definition
select asset_type_id, field_id, kind from asset_type_fields
