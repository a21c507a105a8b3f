-- why: tables of the scratch database hold memory until propsync drops them
select table_name from duckdb_tables() where database_name = 'staging'
