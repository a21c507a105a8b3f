-- why: the second file alone has the versions of a hidden type
insert into {{records}}
select
  {{resource}},
  {{first}},
  {{second}},
  apart.known_property,
  apart.known_type,
  {{stated}},
  record_hash,
  valid_from,
  change,
  run_id,
  payload_hash,
  rows.payload
from {{rows}} as rows
join staging.apart as apart on apart.place = rows.file_row_number
