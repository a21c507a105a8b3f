-- why: an erasure looks at every table of the state
select schema_name, table_name
from duckdb_tables()
where not internal and database_name = current_database() and schema_name <> 'staging'
order by all
