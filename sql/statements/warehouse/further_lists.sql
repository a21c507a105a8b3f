-- why: the lists that propsync.toml has named so far; a list keeps its tables when propsync.toml no longer names it
select resource, path, key_member, key_column, is_paged, id_filter from ops.resources order by resource
