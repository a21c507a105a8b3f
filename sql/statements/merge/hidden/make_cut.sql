-- why: the payloads of a file of history without what is hidden, by row
create or replace table staging.cut (place bigint, payload json, shown_hash varchar)
