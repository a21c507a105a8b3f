-- grain: asset_id, field_id
-- why: fields that an asset names more than once; few do, so this is apart from the results. To read these twice
-- takes less time than to keep what was read
with results as not materialized (
  select asset_id, field_id, position, hash(asset_id, field_id) as hashed
  from staging.asset_results
  where field_id is not null
),
alike as (
  -- half the time and the memory of grouping by both texts; two different ones may have one hash
  select hashed from results group by hashed having count(*) > 1
)
select asset_id, field_id, min(position) as first_position
from results
semi join alike using (hashed)
group by asset_id, field_id
having count(*) > 1
