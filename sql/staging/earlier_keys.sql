-- grain: {{key_columns}}, valid_from
-- why: the versions that the current table no longer shows since the last build: those that closed, and tombstones. A
-- tombstone has its columns from its first moment on
select {{key_columns}}, valid_from
from history.{{table}}
where if(change = 'delete', valid_from, valid_to) > $built_through::timestamptz and change <> 'erase'
