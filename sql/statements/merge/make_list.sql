-- why: a list is as of the last good reading of its file: by now the file may have a mistake, or be gone
create table {{table}} as
select * from read_parquet({{file}}, hive_partitioning = false)
