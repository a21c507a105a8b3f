-- why: the second file says up to which run it has whole records
insert into hidden.latest values ($resource, $run_time::timestamptz)
