-- why: a file of corrections may have a name that another user had when the file was made
insert into ops.schema_changes
with users_before as (
  select {{key}} as user_id, lower(trim({{name}})) as folded from {{table}} where trim({{name}}) <> ''
),
users_now as (
  select {{key}} as user_id, trim({{name}}) as name, lower(trim({{name}})) as folded from staging.reference
),
passed_on as (
  select users_now.name, users_before.user_id as before, users_now.user_id as after
  from users_now
  join users_before on users_before.folded = users_now.folded and users_before.user_id <> users_now.user_id
  anti join users_before as kept on kept.folded = users_now.folded and kept.user_id = users_now.user_id
)
select
  $run_id,
  'users',
  'user name passed on',
  name,
  string_agg(distinct before, '; ' order by before),
  string_agg(distinct after, '; ' order by after)
from passed_on
group by name
