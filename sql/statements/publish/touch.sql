-- why: a checkpoint after no change writes no metadata
comment on table ops.schema_version is {{comment}}
