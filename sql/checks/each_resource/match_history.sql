-- severity: fail
-- why: a current table holds exactly the versions that are not gone, as of the last run that built it. If a build
-- failed, yesterday's rows stay
with built as (
  select built_through from ops.tables where table_schema = 'main' and table_name = '{{name}}' and built_through is not null
),
shown as (
  select {{key_columns}} from main.{{table}} where exists (from built)
),
latest as (
  select {{key_columns}}
  from history.{{table}}
  join built on valid_from <= built_through and (valid_to is null or valid_to > built_through)
  where change not in ('delete', 'erase')
),
sums as (
  select count(*) as records, sum(hash({{key_columns}})) as hashed from shown
  union all
  select count(*), sum(hash({{key_columns}})) from latest
),
differing as (
  -- nearly never: to compare the keys one by one takes many times as long
  select count(distinct (records, hashed)) from sums having count(distinct (records, hashed)) > 1
),
shown_keys as (
  select * from shown where exists (from differing)
),
latest_keys as (
  select * from latest where exists (from differing)
)
(from latest_keys except all from shown_keys)
union all
(from shown_keys except all from latest_keys)
