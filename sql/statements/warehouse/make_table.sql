-- why: propsync declares tables, or derives their columns from the data
create table {{table}} ({{columns}})
