-- why: people read in the file itself what a table holds
comment on table {{table}} is {{comment}}
