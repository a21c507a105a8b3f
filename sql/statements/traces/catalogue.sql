-- why: names, comments and definitions in a database file may have a label that somebody typed
select 'table ' || schema_name || '.' || table_name as place, concat_ws(chr(10), table_name, comment, sql) as words
from duckdb_tables()
where not internal and database_name = current_database()
union all
select 'view ' || schema_name || '.' || view_name, concat_ws(chr(10), view_name, comment, sql)
from duckdb_views()
where not internal and database_name = current_database()
union all
select
  'column ' || schema_name || '.' || table_name || '.' || column_name,
  concat_ws(chr(10), column_name, comment, column_default, data_type)
from duckdb_columns()
where not internal and database_name = current_database()
union all
select 'macro ' || schema_name || '.' || function_name, concat_ws(chr(10), function_name, comment, macro_definition)
from duckdb_functions()
where not internal and database_name = current_database()
