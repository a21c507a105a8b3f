-- why: a line names a field by its id or its label
select distinct field_id, label from main.asset_type_fields
