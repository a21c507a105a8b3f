-- why: a version that was erased keeps its interval
insert into history.{{table}} by name
select
  $pseudonym as {{key}},
  'erased' as record_hash,
  $valid_from::timestamptz as valid_from,
  $valid_to::timestamptz as valid_to,
  'erase' as change,
  $run_id as run_id,
  'erased' as payload_hash,
  null::json as payload
where not exists (from history.{{table}} where {{key}} = $pseudonym and valid_from = $valid_from::timestamptz)
