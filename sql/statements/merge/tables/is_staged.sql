-- why: only a rebuild has names from the tables that it replaces
select count(*) from duckdb_tables() where database_name = 'staging' and table_name = $table
