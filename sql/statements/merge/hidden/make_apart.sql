-- why: the rows of a file of history that are of a hidden type
create or replace table staging.apart (place bigint, known_property varchar, known_type varchar, known_status varchar)
