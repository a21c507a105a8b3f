-- why: the next row says the same of a later run
delete from hidden.latest where resource = $resource
