-- why: each table of a database file, to read it whole
select schema_name, table_name from duckdb_tables() where database_name = current_database()
