-- why: each thread holds a whole row group of long payloads in memory, so its bytes are bounded
copy (select {{columns}} from {{table}})
to {{file}} (format parquet, compression zstd, compression_level 1, row_group_size_bytes 33554432)
