-- why: the rows of `propsync query --describe`
select column_name as "column", data_type as "type", comment as "meaning"
from duckdb_columns()
where not internal and database_name = current_database() and schema_name = {{schema}} and table_name = {{table}}
order by column_index
