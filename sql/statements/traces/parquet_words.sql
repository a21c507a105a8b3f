-- why: the statistics and the notes of a Parquet file repeat values and names
select
  'statistics of column ' || path_in_schema as place,
  concat_ws(chr(10), stats_min, stats_max, stats_min_value, stats_max_value) as words
from parquet_metadata({{path}})
union all
select 'notes', concat_ws(chr(10), decode(key), try(decode(value)))
from parquet_kv_metadata({{path}})
union all
select 'schema', name
from parquet_schema({{path}})
