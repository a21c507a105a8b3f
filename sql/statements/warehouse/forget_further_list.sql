-- why: propsync.toml describes the list in another way than before, and has one row for it
delete from ops.resources where resource = $resource
