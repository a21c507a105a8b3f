-- why: propsync derives only what is newer than the last build of all tables of a family
select built_through
from ops.tables
where table_schema = 'main' and list_contains($tables, table_name)
