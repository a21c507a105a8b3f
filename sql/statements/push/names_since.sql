-- why: a file from before has names that may mean something else now
select change, name, before, after
from ops.schema_changes
where run_id > $run
  and change in (
    'label renamed', 'field new', 'field defined again', 'option renamed', 'option new', 'option offered again', 'user name passed on'
  )
order by run_id, name
