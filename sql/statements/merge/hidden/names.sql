-- why: a rebuild hides from the beginning what the state before hid
select line, field_id, label from fields
