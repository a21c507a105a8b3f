-- why: a new member or field gets a column
alter table {{table}} add column {{column}} {{type}}
