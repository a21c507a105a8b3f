-- why: no table shows what a write has done to a value that `[privacy]` hides
select {{key_columns}}, payload
from {{history}} as versions
where {{first}} in (select unnest($ids)) and valid_to is null and change <> 'delete'
