-- why: a list that was carried over into a new database has neither a mark nor comments there
select count(*)
from ops.tables
where table_schema = $schema
  and table_name = $table
  and exists (
    from duckdb_tables()
    where database_name = current_database() and schema_name = $schema and table_name = $table and comment is not null
  )
