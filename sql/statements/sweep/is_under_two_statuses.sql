-- why: a record without a status gets that of its list, so two lists that show it contradict each other
select exists (
  select key_1
  from {{listed}}
  where attempt = $attempt and role = 'page' and key_1 is not null and status is not null
  group by key_1, key_2
  having count(distinct status) > 1
)
