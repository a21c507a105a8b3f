-- grain: {{key_columns}}
-- why: the records to derive again: those with a new version; `record_id` is the key as one text that no other key has
with opened as (
  select distinct {{key_columns}}
  from history.{{table}}
  where valid_from > $built_through::timestamptz
)
select {{key_columns}}, {{record_id}} as record_id
from opened
