-- why: how many rows each table has, without counting them
select table_name, row_count from ops.tables where table_schema = 'main' order by table_name
