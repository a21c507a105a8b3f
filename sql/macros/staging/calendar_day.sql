-- The day of a text that is nothing but a date. There was no year 0: DuckDB would make it 1 BC.
create macro staging.calendar_day(written) as if(
  regexp_full_match(written, '\d{4}-\d{2}-\d{2}') and not starts_with(written, '0000'),
  try_cast(written as date),
  null
);
