-- why: a complete read of the whole resource judges all held records again
delete from ops.held_deletes where resource = $resource
