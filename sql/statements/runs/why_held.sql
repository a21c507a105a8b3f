-- why: a read of a part does not delete what a run held
select key_1, key_2, reason from ops.held_deletes where resource = $resource
