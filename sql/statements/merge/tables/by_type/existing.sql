-- why: the tables that exist; for their names alone, DuckDB spells out each table's SQL
select table_name from duckdb_tables() where schema_name = 'by_type'
