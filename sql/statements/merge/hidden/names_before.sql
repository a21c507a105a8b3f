-- why: a rebuild hides from the beginning what the state before hid
select line, field_id, label from read_parquet({{file}}, hive_partitioning = false)
