-- The day of a text that is nothing but a date. There was no year 0: DuckDB would make it 1 BC. Programs write the first day
-- of all, 0001-01-01, for no date: a schedule would be overdue since then.
create macro staging.calendar_day(written) as if(
  regexp_full_match(written, '\d{4}-\d{2}-\d{2}') and not starts_with(written, '0000') and written <> '0001-01-01',
  try_cast(written as date),
  null
);

-- Whether a text, where a date belongs, says that there is none.
create macro staging.is_no_date(written) as coalesce(starts_with(trim(written), '0001-01-01'), true);

-- Why a text is no date, in words.
create macro staging.date_issue(written) as if(staging.is_no_date(written), 'stands for no date', 'is not a date');
