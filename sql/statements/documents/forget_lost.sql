-- why: a lost file that came again is no longer lost
update main.documents
set last_error = null
where starts_with(last_error, $lost)
  and path in (select path from staging.taken_documents where outcome = 'stored')
