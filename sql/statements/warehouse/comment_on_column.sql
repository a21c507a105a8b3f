-- why: people read in the file itself what a column holds
comment on column {{table}}.{{column}} is {{comment}}
