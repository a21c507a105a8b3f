-- why: to people, a record that goes over to a hidden type is deleted, and one that comes from such a type is new
create or replace table staging.shown_rows as
with versions as (
  select {{key_columns}}, valid_from, change, run_id, file_row_number as place, apart.place is not null as is_apart
  from {{rows}} as versions
  left join staging.apart as apart on apart.place = file_row_number
),
after_others as (
  select
    *,
    lag(is_apart) over of_key as was_apart,
    lag(change) over of_key as change_before,
    lag(place) over of_key as place_before
  from versions
  window of_key as (partition by {{key_columns}} order by valid_from)
),
shown as (
  select
    {{key_columns}},
    place,
    valid_from,
    if(change = 'update' and coalesce(was_apart, false), 'insert', change) as change,
    run_id
  from after_others
  where not is_apart
  union all
  select {{key_columns}}, place_before, valid_from, 'delete', run_id
  from after_others
  where is_apart and not was_apart and change_before <> 'delete'
)
select
  place,
  valid_from,
  lead(valid_from) over (partition by {{key_columns}} order by valid_from) as valid_to,
  change,
  run_id
from shown
