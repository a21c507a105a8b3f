-- why: an erasure looks at every column of every table of the state
select schema_name, table_name, list(struct_pack(name := column_name, kind := data_type) order by column_index)
from duckdb_columns()
where not internal and database_name = current_database() and schema_name <> 'staging'
  and (schema_name, table_name) in (
    select (schema_name, table_name) from duckdb_tables() where database_name = current_database()
  )
group by all
order by all
