-- why: a moved member changes every record's row, so propsync builds them all again
update ops.tables
set built_through = null
where table_schema = 'main'
