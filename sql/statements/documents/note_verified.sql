-- why: a file that was hashed is not hashed again soon
update main.documents
set verified_at = $verified_at, last_error = null
where path in (select unnest($paths))
