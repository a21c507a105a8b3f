-- why: a field stays hidden under each label that it ever had
select distinct payload::varchar from read_parquet({{file}}, hive_partitioning = false)
