-- why: a Delta table carries the comments of its table and columns, for the catalogues of other engines
select schema_name, table_name, '' as column_name, comment
from duckdb_tables()
where not internal and database_name = current_database() and comment is not null
union all
select schema_name, view_name, '', comment
from duckdb_views()
where not internal and database_name = current_database() and comment is not null
union all
select schema_name, table_name, column_name, comment
from duckdb_columns()
where not internal and database_name = current_database() and comment is not null
