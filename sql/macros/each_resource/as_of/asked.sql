-- why: a moment before the first run has no answer, and an empty table would look like one
(
  select
    case
      when moment is null then error('{{macro}}: the moment is NULL; give one such as date ''2026-03-02''')
      when moment < first_at
        then error('{{macro}}: the first run was at ' || first_at::varchar || '; give that moment or a later one')
      else moment
    end as moment
  from (
    select {{moment}} as moment
    from (select ts as given) as given,
    (select coalesce(max(value), 'UTC') as zone from ops.settings where setting = 'time_zone') as zones
  ) as stated,
  (
    select
      least(
        (select min(valid_from) from history.{{table}}),
        (
          select min(started_at)
          from ops.runs
          where run_id in (select run_id from ops.run_resources where resource = '{{name}}' and verdict <> 'failed')
        )
      ) as first_at
  ) as runs
) as asked
