-- why: a run records what a killed apply wrote, unless a run has done so
select count(*) from ops.writes where plan_id = $plan_id
