-- why: a field stays hidden under each label that it ever had
insert into hidden.fields values ($line, $field_id, $label)
