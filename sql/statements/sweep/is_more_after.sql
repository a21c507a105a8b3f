-- why: attempts that agree prove nothing if a later one showed further keys
select exists (
  select key_1, key_2 from {{listed}} where key_1 is not null and attempt > $attempt
  except
  select key_1, key_2 from {{listed}} where key_1 is not null and attempt = $attempt
)
