-- why: engines that read Delta read zstd too; a row group's bytes are bounded, as each thread holds one in memory
copy (select {{columns}} from {{table}})
to {{file}} (format parquet, compression zstd, compression_level 1, row_group_size_bytes 33554432)
