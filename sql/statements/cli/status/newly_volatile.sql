-- why: members whose differences no longer count as changes, if propsync noticed that lately
select resource, run_id, after as members
from ops.schema_changes
where change = 'volatile'
  and after is not null
  and run_id in (select run_id from ops.runs order by run_id desc limit 5)
order by run_id, resource
