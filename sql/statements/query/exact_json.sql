-- why: DuckDB reads the numbers inside JSON before it writes them, and rounds those beyond 17 digits without a word
select {{cells}} from answer as answer({{names}})
