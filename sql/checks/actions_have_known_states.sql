-- severity: warn
-- why: if propsync knows of no action whether it is open, bundles have other headers or words, and each number of actions
-- is unknown. A few may lack a state, so it takes eight
with shown as (
  select status, state from marts.actions where is_current and is_in_api
)
select coalesce(status, 'no status') as status, count(*) as actions
from shown
where (select count(*) >= 8 and bool_and(state = 'unknown') from shown)
group by all
order by actions desc, status
