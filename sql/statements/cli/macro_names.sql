-- why: people describe a macro like the table that it gives
select distinct function_name, parameters, macro_definition
from duckdb_functions()
where not internal and database_name = current_database() and function_type = 'table_macro'
