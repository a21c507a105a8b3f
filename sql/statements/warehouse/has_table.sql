-- why: a list of people's own may have the name that a further list takes
select count(*) > 0
from duckdb_tables()
where database_name = current_database() and schema_name = 'main' and table_name = $table_name
