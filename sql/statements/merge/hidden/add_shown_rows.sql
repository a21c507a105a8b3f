-- why: the history that people get has neither records of hidden types nor hidden parts of others
insert into history.{{table}} by name
select versions.* exclude (file_row_number) replace (
  shown_rows.valid_from as valid_from,
  shown_rows.valid_to as valid_to,
  shown_rows.change as change,
  shown_rows.run_id as run_id,
  {{record_hash}} as record_hash,
  if(cut.place is null or versions.payload_hash = '', versions.payload_hash, cut.shown_hash) as payload_hash,
  coalesce(cut.payload, versions.payload::json) as payload
)
from staging.shown_rows as shown_rows
join {{rows}} as versions on versions.file_row_number = shown_rows.place
left join staging.cut as cut on cut.place = shown_rows.place
