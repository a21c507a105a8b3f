-- why: a complete read of the whole resource judges afresh what is held
delete from ops.held_deletes where resource = $resource
