-- why: the second file alone has the versions of a hidden type
insert into {{records}}
select
  $resource,
  key_1,
  key_2,
  lot.property_id,
  lot.type_id,
  if($has_facts, changed.status, lot.status),
  performed_for,
  performed_by,
  record_hash,
  $run_time::timestamptz,
  change,
  $run_id,
  payload_hash,
  lot.payload
from {{lot}} as lot
join staging.changed as changed on changed.place = lot.place
where changed.is_concluded = $is_concluded
