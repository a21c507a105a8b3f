-- why: a field stays hidden under each label that it ever had
create table if not exists hidden.fields (line varchar, field_id varchar, label varchar)
