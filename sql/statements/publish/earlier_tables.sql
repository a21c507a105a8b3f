-- why: a table that was never published has no earlier rows
select schema_name || '.' || table_name from duckdb_tables() where database_name = 'earlier'
