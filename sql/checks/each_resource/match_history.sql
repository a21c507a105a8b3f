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
  where change <> 'delete'
)
(select {{key_columns}} from latest except all select {{key_columns}} from shown)
union all
(select {{key_columns}} from shown except all select {{key_columns}} from latest)
