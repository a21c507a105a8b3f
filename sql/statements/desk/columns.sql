-- why: a column of another type spells its earlier values in another way
select schema_name || '.' || table_name, string_agg(column_name || ' ' || data_type, ', ' order by column_name)
from duckdb_columns()
where database_name = current_database() and schema_name in ('main', 'history')
group by all
