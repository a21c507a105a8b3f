-- why: propsync.toml does not name the list any more
drop table {{table}}
