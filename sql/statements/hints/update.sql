-- why: what became of hints after a look, or that it comes later
update ops.hints
set
  state = seen.state,
  looks = seen.looks,
  next_look_at = seen.next_look_at,
  looked_at = if($is_look, $looked_at::timestamptz, hints.looked_at),
  run_id = if($is_look, $run_id, hints.run_id)
from (
  select
    unnest($hint_ids::varchar[]) as hint_id,
    unnest($states::varchar[]) as state,
    unnest($looks::integer[]) as looks,
    unnest($next_looks::timestamptz[]) as next_look_at
) as seen
where hints.hint_id = seen.hint_id
