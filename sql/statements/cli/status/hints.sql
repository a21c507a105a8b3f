-- why: how many hints wait, and how many changes only the last night found
with night as (
  select max(run_id) as run_id from marts.hint_coverage
),
last_night as (
  select
    any_value(night_at) as night_at,
    coalesce(sum(changes_by_hint), 0)::bigint as changes_by_hint,
    coalesce(sum(changes_by_night), 0)::bigint as changes_by_night
  from marts.hint_coverage
  semi join night using (run_id)
),
hints as (
  select count(*) as received, count(*) filter (state = 'waiting') as waiting from ops.hints
)
select received, waiting, night_at, changes_by_hint, changes_by_night from hints, last_night
