-- why: a list that was carried over into a new database has neither a mark nor comments there
select count(*)
from ops.tables as marks
join duckdb_tables() as tables on tables.schema_name = marks.table_schema and tables.table_name = marks.table_name
where marks.table_schema = $schema
  and marks.table_name = $table
  and tables.database_name = current_database()
  and tables.comment is not null
