-- why: propsync cuts the payloads of a file of history as it reads it
select file_row_number, payload::varchar as payload
from read_parquet({{file}}, file_row_number = true, hive_partitioning = false)
order by file_row_number
