-- why: a column of earlier bundles says what that of the latest ones says
select column_name, comment
from duckdb_columns()
where database_name = current_database() and schema_name = $schema and table_name = $table
order by column_index
