-- why: a Parquet file has its columns in its own schema
select column_name, column_type from (describe from read_parquet({{path}}, hive_partitioning = false))
