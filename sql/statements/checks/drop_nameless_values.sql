-- why: a value of nothing compares with nothing. To find these first, DuckDB would look for the subject of every row that a
-- check reads
delete from staging.check_values where subject is null
