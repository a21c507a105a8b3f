-- why: Parquet has no integer beyond 64 bits, so DuckDB writes a DOUBLE, which rounds beyond 15 digits without a word
select {{cells}} from answer as answer({{names}})
