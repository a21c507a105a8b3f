-- why: a type that only assets name needs a row and a table too, and leaves them with its last asset
with wanted as (
  select asset_type_id from history.asset_types where valid_to is null
  union
  select asset_type_id from main.assets where asset_type_id is not null
)
select count(*) as types
from wanted
full join main.asset_types as made using (asset_type_id)
where wanted.asset_type_id is null or made.asset_type_id is null
