-- why: propsync never migrates a file that another version of it wrote
select max(version) from ops.schema_version
