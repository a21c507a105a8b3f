-- why: a run records what a killed apply wrote, and which new assets are unsettled, unless a run has done so
select count(*), count(*) filter (state = 'parked') from ops.writes where plan_id = $plan_id
