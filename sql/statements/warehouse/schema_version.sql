-- why: a state database of another layout is one for a rebuild
select max(version) from ops.schema_version
