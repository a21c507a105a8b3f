-- The day of a date or a date-time as JSON has it, that of a moment in a time zone; NULL for any other text. Most texts
-- are dates or moments in UTC, so these come first. Programs write 0001-01-01T00:00:00Z for no date. A zone would move
-- 9999-12-31 out of the years that other programs can read.
create macro staging.day_written(written, zone) as case
  when length(written) = 10 then staging.calendar_day(written)
  when starts_with(written, '0000') or starts_with(written, '0001-01-01') then null
  when not regexp_full_match(written, '\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}(:?\d{2})?)?') then null
  when starts_with(written, '9999-12-31') then try_cast(substr(written, 1, 10) as date)
  when ends_with(written, 'Z') or regexp_matches(substr(written, 17), '[+-]')
    then (try_cast(replace(written, ',', '.') as timestamptz) at time zone zone)::date
  else try_cast(substr(written, 1, 10) as date)
end;

-- The moment of such a text, to sort by; a date or a time without an offset is of the time zone.
create macro staging.moment_written(written, zone) as case
  when staging.day_written(written, zone) is null then null
  when length(written) > 10 and (ends_with(written, 'Z') or regexp_matches(substr(written, 17), '[+-]'))
    then try_cast(replace(written, ',', '.') as timestamptz)
  else try_cast(replace(written, ',', '.') as timestamp) at time zone zone
end;
