-- why: every program that reads Parquet reads Snappy; a row group's bytes are bounded, as each thread holds one in memory
copy (select {{columns}} from {{table}})
to {{file}} (format parquet, compression snappy, row_group_size_bytes 33554432)
