-- why: a plan that a later run finished is recorded whole again
delete from ops.writes where plan_id = $plan_id
