-- why: the hidden fields of earlier runs
select line, field_id, label from hidden.fields
