-- why: a second file that is older than its state lacks whole records; the state names the run that must be here
create table if not exists hidden.latest (resource varchar, run_time timestamptz)
