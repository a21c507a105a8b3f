-- why: a file without tables is new, or its first run died before it made them
select count(*) = 0 from duckdb_tables() where database_name <> 'staging'
