-- why: the hashes of versions by today's rules
create or replace table staging.rehashed ({{columns}}, valid_from timestamptz, canonical_hash varchar, bytes_hash varchar)
