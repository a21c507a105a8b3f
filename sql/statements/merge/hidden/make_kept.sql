-- why: rows of the run log wait here until what they tell of is shown again
create table if not exists {{table}} as from read_parquet({{file}}, hive_partitioning = false) where false
