-- why: a page after the last is news only if it shows a key that no page of its list has shown
select not exists (
  select unnest($first_parts), unnest($second_parts)
  except
  select key_1, key_2 from {{listed}} where attempt = $attempt and list = $list and role = 'page'
)
