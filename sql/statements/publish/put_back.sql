-- why: columns that came since are NULL in earlier rows
insert into {{target}} by name from earlier.{{target}}
