-- why: a shape is stored as a whole
delete from ops.shapes where resource = $resource
