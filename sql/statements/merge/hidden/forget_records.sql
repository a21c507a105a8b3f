-- why: a run that died may have kept versions that its own transaction never closed nor opened
delete from hidden.records where resource = $resource and valid_from > $since::timestamptz
