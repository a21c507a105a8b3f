-- why: a further list has no table before its first sync, and a list of people's own has no payload
select exists (
  from information_schema.columns
  where table_schema = 'main' and table_name = {{resource}} and column_name = 'payload'
)
