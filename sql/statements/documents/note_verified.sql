-- why: propsync does not soon hash a file again
update main.documents
set verified_at = $verified_at, last_error = null
where path in (select unnest($paths))
