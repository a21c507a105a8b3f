-- why: the versions of records of hidden types, as they came; what closes a version follows from the next one
create table if not exists hidden.records (
  resource varchar,
  key_1 varchar,
  key_2 varchar,
  property_id varchar,
  type_id varchar,
  status varchar,
  performed_for boolean,
  performed_by boolean,
  record_hash varchar,
  valid_from timestamptz,
  change varchar,
  run_id varchar,
  payload_hash varchar,
  payload json using compression zstd
)
