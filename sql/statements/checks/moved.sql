-- why: the subjects whose value moved further than their check allows, counted for each check. A part of a total may be
-- new, unless its check ignores these. A count may not: it has nothing to compare with
with limits as (
  select
    unnest($names) as check_name,
    unnest($directions) as direction,
    unnest($shares) as share,
    unnest($floors) as floor,
    unnest($ignoring) as ignores_new
),
before as (
  select * from ops.check_values semi join limits using (check_name)
),
compared as (
  select
    check_name,
    subject,
    before.subject is null as is_new,
    before.subject is null and now.total is null as is_new_count,
    coalesce(before.value, 0) as value_before,
    coalesce(now.value, 0) as value_now,
    if(
      coalesce(now.total, before.total) is null,
      value_now / nullif(value_before, 0) - 1,
      coalesce(value_now / nullif(now.total, 0), 0) - coalesce(value_before / nullif(before.total, 0), 0)
    ) as moved
  from before
  full join staging.check_values as now using (check_name, subject)
),
judged as (
  select
    check_name,
    abs(value_now - value_before) as distance,
    format('{} from {:.0f} to {:.0f}', subject, value_before, value_now) as example
  from compared
  join limits using (check_name)
  semi join before using (check_name)
  where not is_new_count
    and not (is_new and ignores_new)
    and abs(value_now - value_before) >= floor
    and case direction when 'up' then moved when 'down' then -moved else abs(moved) end > share - 1e-9
)
select check_name, count(*) as number, arg_max(example, (distance, example)) as example
from judged
group by check_name
