-- why: the rows of `propsync query --tables`
select schema_name || '.' || table_name as "table", comment as "what it is for"
from duckdb_tables()
where not internal and database_name = current_database()
union all
select schema_name || '.' || view_name, comment
from duckdb_views()
where not internal and database_name = current_database()
order by all
