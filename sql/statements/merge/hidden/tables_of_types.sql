-- why: the columns of a hidden type's table go with the table
select asset_type_id, table_name from read_parquet({{file}}, hive_partitioning = false)
