-- A date without the midnight behind it: some programs can write no date without a time. Any other text as it is.
create macro staging.without_midnight(written) as if(
  regexp_full_match(written, '\d{4}-\d{2}-\d{2}[T ]00:00(:00([.,]0+)?)?(Z|[+-]\d{2}(:?\d{2})?)?'),
  left(written, 10),
  written
);
