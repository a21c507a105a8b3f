-- why: a look settles hints one by one, the oldest first
select hint_id, type, key_1, key_2, looks
from ops.hints
where state = 'waiting'
order by received_at, hint_id
