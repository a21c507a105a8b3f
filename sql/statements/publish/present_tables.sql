-- why: a table may have gone since
select schema_name || '.' || table_name from duckdb_tables() where database_name = current_database()
