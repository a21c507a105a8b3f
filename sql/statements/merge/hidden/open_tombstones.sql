-- why: to people, a record that goes over to a hidden type is deleted
insert into history.{{table}} by name
with changed as (
  select changed.*
  from staging.changed as changed
  join {{lot}} as lot on lot.place = changed.place and lot.is_concluded::boolean = changed.is_concluded
)
select versions.* replace ($run_time as valid_from, 'delete' as change, $run_id as run_id)
from history.{{table}} as versions
semi join changed on {{is_same}}
where versions.valid_to is null and versions.valid_from < $run_time and versions.change <> 'delete'
