-- why: the rows of `propsync query --tables`, with the macros that people can read like tables
select schema_name || '.' || table_name as "table", comment as "what it is for"
from duckdb_tables()
where not internal and database_name = current_database()
union all
select schema_name || '.' || view_name, comment
from duckdb_views()
where not internal and database_name = current_database()
union all
select schema_name || '.' || function_name || '(' || array_to_string(parameters, ', ') || ')', comment
from duckdb_functions()
where not internal and database_name = current_database() and function_type = 'table_macro'
order by all
