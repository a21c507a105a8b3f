-- why: the second file keeps the records of a file of history as they came
insert into {{kept}}
select {{resource}}, {{first}}, {{second}}, valid_from, record_hash, payload_hash, rows.payload
from {{rows}} as rows
join staging.cut as cut on cut.place = rows.file_row_number
