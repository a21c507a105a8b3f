-- why: after a lost answer, a new asset that another plan created is not the one in question
select distinct record_id
from ops.writes
where
  resource = 'assets' and action = 'create' and record_id is not null
  and state in ('applied', 'verified') and plan_id <> {{plan_id}}
