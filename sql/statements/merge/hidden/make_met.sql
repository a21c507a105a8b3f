-- why: a line that matches nothing is worth a warning
create table hidden.met (line varchar)
