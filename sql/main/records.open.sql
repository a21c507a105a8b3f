-- grain: {{key_columns}}
-- why: the latest version of each record that is not gone, for a resource whose members all become columns
with versions as (
  select *, json_extract(readable, {{record_members}}) as members
  from staging.readable_versions
),
earlier as (
  -- few records have one: a join with all of them would hold every payload
  select {{key_columns}}, min(valid_from) as first_seen_at
  from history.{{table}}
  semi join staging.dirty_records using ({{key_columns}})
  where valid_to is not null
  group by {{key_columns}}
)
select
  {{key_columns}},
  coalesce(first_seen_at, valid_from) as first_seen_at,
  valid_from as changed_at,
  payload{{open_columns}}
from versions
left join earlier using ({{key_columns}})
