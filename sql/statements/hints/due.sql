-- why: many hints may name one record; propsync looks at it at most once a minute, however many there are
with subjects as (
  select
    type,
    key_1,
    key_2,
    min(next_look_at) filter (state = 'waiting') as due_at,
    max(looked_at) as looked_at
  from ops.hints
  where record_id is not null
  group by type, key_1, key_2
),

looks as (
  select type, key_1, key_2, greatest(due_at, coalesce(looked_at + interval 1 minute, due_at)) as look_at
  from subjects
  where due_at is not null
)

select type, key_1, key_2, look_at, (select count(*) from looks where look_at <= $now) as number_due
from looks
order by look_at, type, key_1, key_2
limit $most
