-- why: no table shows what a write has done to a value that `[privacy]` hides
select {{key_columns}}, payload
from {{history}} as versions
semi join (select unnest($ids) as {{first}}) as written using ({{first}})
where valid_to is null and change <> 'delete'
