-- why: a rebuild makes no table of a list that propsync.toml names no more, so only an older file shows that there was one
select table_name
from duckdb_tables()
where database_name = current_database()
  and schema_name in ('main', 'reference')
  and comment like 'From %, your own list'
order by table_name
