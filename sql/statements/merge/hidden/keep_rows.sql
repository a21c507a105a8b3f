-- why: rows of the run log wait here until what they tell of is shown again
insert into {{table}} by name
from read_parquet({{file}}, hive_partitioning = false) where {{condition}}
