-- why: the versions whose records the warehouse shows without what is hidden, as they came
create table if not exists hidden.versions (
  resource varchar,
  key_1 varchar,
  key_2 varchar,
  valid_from timestamptz,
  record_hash varchar,
  payload_hash varchar,
  payload json using compression zstd
)
