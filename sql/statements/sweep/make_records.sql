-- why: keys and hashes of listed records, without payloads; a place is the number of the answer and the position in it
create or replace table {{records}} (place bigint, key_1 varchar, key_2 varchar, payload_hash varchar)
