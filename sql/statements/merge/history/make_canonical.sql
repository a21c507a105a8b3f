-- why: hashes of both canonical forms of a record, as read and as known
create or replace table staging.canonical (place bigint, hash varchar)
