-- why: a read of a part judges only the records that it listed or looked up
delete from ops.held_deletes
where resource = $resource and (key_1, key_2) in (select unnest($first_parts), unnest($second_parts))
