-- why: a file that an earlier version of propsync published has no erasures
select count(*) = 1 from duckdb_tables() where schema_name = 'ops' and table_name = 'erasures'
