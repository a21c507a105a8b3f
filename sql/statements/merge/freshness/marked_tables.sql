-- why: propsync marks an empty table too, or it would build its family again every night
select table_name from ops.tables where table_schema = 'main'
