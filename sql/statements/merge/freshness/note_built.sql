-- why: an interrupted build is repeated, as this is noted in the transaction that builds
update ops.tables
set built_through = $built_through
where table_schema = 'main' and list_contains($tables, table_name)
