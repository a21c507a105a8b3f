-- why: a line that matches nothing is worth a warning
insert into hidden.met values ($line)
