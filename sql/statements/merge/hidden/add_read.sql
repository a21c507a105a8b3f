-- why: the history that people get has the payloads without what is hidden
insert into history.{{table}} by name
select versions.* exclude (file_row_number) replace (
  {{record_hash}} as record_hash,
  if(cut.place is null or versions.payload_hash = '', versions.payload_hash, cut.shown_hash) as payload_hash,
  coalesce(cut.payload, versions.payload::json) as payload
)
from {{rows}} as versions
left join staging.cut as cut on cut.place = versions.file_row_number
