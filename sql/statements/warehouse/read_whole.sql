-- why: DuckDB finds a damaged block only when it reads it
select bit_xor(hash(rows)) from {{table}} as rows
