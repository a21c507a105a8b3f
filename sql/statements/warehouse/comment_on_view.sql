-- why: people read in the file itself what a view shows
comment on view {{view}} is {{comment}}
