-- why: a rebuilt database has every table from one run, so propsync checks and publishes each
select schema_name, table_name
from duckdb_tables()
where database_name = current_database() and schema_name in ('main', 'history', 'by_type')
order by schema_name, table_name
