-- why: an earlier version of propsync published no table of writes
select count(*) from duckdb_tables() where schema_name = 'ops' and table_name = 'writes'
