-- why: versions of the older database that the new history lacks
select key_1, key_2, valid_from, change, run_id from staging.witnessed
anti join staging.rebuilt using (key_1, key_2, valid_from)
where change <> 'erase'
