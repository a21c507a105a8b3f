-- grain: asset_id, field_id
-- why: fields that an asset names more than once; few do, so this is kept apart from the results
with results as (
  select asset_id, field_id, position from staging.asset_results where field_id is not null
)
select asset_id, field_id, min(position) as first_position
from results
group by asset_id, field_id
having count(*) > 1
