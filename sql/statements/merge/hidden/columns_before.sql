-- why: a column of a shown table stays only if a shown version has its member
select table_name, column_name, source from read_parquet({{file}}, hive_partitioning = false) where table_schema = 'main'
