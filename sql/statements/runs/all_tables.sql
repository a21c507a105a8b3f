-- why: a database that was made again has every table from one run, so each is checked and published
select schema_name, table_name
from duckdb_tables()
where database_name = current_database() and schema_name in ('main', 'history', 'by_type')
order by schema_name, table_name
