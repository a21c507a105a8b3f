-- why: a table whose columns changed is made from nothing
create or replace table {{table}} ({{columns}})
