-- why: a line that matches nothing is worth a warning
create table if not exists hidden.met (line varchar)
