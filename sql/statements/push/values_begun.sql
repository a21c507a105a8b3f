-- why: a field that was empty when a file was made may have a value since
select asset_id, field_id
from history.asset_field_value_starts
where asset_id in (select unnest($ids)) and field_id in (select unnest($fields)) and valid_from > $at
