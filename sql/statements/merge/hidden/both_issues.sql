-- why: a value that does not fit keeps the run that found it first, also if its row waited in the second file meanwhile
select resource, record_id, name, issue, value, min(run_id) as run_id
from read_parquet({{files}}, union_by_name = true, hive_partitioning = false)
group by resource, record_id, name, issue, value
