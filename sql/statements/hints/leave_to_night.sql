-- why: a complete read has seen every record, so a hint that still waits can show nothing more
update ops.hints
set state = 'night', next_look_at = null, run_id = $run_id
where state = 'waiting' and received_at < $before and list_contains($kinds::varchar[], type)
