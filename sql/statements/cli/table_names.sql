-- why: people name a table in any case, or nearly right
select distinct schema_name, table_name
from duckdb_columns()
where not internal and database_name = current_database()
