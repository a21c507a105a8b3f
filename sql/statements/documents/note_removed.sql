-- why: a removed file stays as a row that says why; verified_at is NULL until the file is gone
update main.documents
set state = 'removed', path = null, last_error = $why, verified_at = null
where path in (select unnest($paths))
