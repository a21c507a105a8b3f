-- why: a list that propsync.toml names no more has a table until a run removes it
select schema_name, table_name
from duckdb_tables()
where database_name = current_database() and schema_name in ('main', 'reference')
