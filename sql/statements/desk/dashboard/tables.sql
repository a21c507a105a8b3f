-- why: a copy that an earlier release published may lack a table or a view
select schema_name || '.' || table_name from duckdb_tables() where database_name = current_database()
union all
select schema_name || '.' || view_name from duckdb_views() where database_name = current_database()
