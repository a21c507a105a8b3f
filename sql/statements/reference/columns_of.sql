-- why: the columns that a table has, in their order
select column_name
from duckdb_columns()
where database_name = current_database() and schema_name = $schema and table_name = $table
order by column_index
