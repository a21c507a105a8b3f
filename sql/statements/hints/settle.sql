-- why: one change settles the oldest hint about its record, as others may be of a change that the API shows later
update ops.hints
set
  state = if(seen.next_look_at is null, seen.outcome, 'waiting'),
  looks = seen.looks,
  looked_at = $now,
  next_look_at = seen.next_look_at,
  run_id = $run_id
from (
  with outcomes as (
    select
      unnest($types::varchar[]) as type,
      unnest($first_keys::varchar[]) as key_1,
      unnest($second_keys::varchar[]) as key_2,
      unnest($outcomes::varchar[]) as outcome
  ),

  waiting as (
    select
      hint_id,
      looks + 1 as looks,
      outcome,
      row_number() over (partition by type, key_1, key_2 order by received_at, hint_id) = 1 as is_oldest
    from ops.hints
    join outcomes using (type, key_1, key_2)
    where state = 'waiting'
  )

  select
    hint_id,
    looks,
    outcome,
    if(outcome = 'changed' and is_oldest, null, ($next_looks::timestamptz[])[looks]) as next_look_at
  from waiting
) as seen
where hints.hint_id = seen.hint_id
