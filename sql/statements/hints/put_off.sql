-- why: the API failed, so these records have had no look
update ops.hints
set next_look_at = $until
from (
  select
    unnest($types::varchar[]) as type,
    unnest($first_keys::varchar[]) as key_1,
    unnest($second_keys::varchar[]) as key_2
) as unseen
where
  hints.state = 'waiting'
  and hints.type = unseen.type
  and hints.key_1 = unseen.key_1
  and hints.key_2 = unseen.key_2
