-- why: the doctor names the nearest member
select distinct source from ops.columns where table_schema = 'main' and table_name = {{resource}}
