-- why: the versions to type now that the current table no longer shows
select *
from {{history}}
semi join staging.earlier_keys using ({{key_columns}}, valid_from)
