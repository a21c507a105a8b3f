-- why: a list that was never right has no table
select count(*)
from duckdb_tables()
where database_name = current_database() and schema_name = $schema and table_name = $table
