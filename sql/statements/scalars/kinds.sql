-- why: DuckDB parses a payload once for many paths. A whole number of more than 64 bits would lose digits as a double, and
-- 1e400 would be infinite, as would each sum
select
  place,
  if(
    (
      kind in ('UBIGINT', 'BIGINT', 'DOUBLE')
        and regexp_full_match(written, '-?[0-9]{19,}')
        and try_cast(written as bigint) is null
    )
      or (kind = 'DOUBLE' and not coalesce(isfinite(try_cast(written as double)), false)),
    'HUGE',
    kind
  ) as shown,
  count(*) as records
from (
  select unnest(kinds) as kind, unnest(texts) as written, generate_subscripts(kinds, 1) as place
  from (
    select json_type(payload, {{paths}}) as kinds, json_extract_string(payload, {{paths}}) as texts
    from ({{payloads}})
  )
)
where kind is not null
group by place, shown
