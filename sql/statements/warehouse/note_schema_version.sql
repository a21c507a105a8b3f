-- why: a later version of propsync sees which layout this file has
insert into ops.schema_version values ($version)
