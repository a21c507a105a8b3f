-- grain: asset_type_id, field_id
-- why: each field as last defined, including one that its type no longer defines
with versions as (
  select * from staging.field_versions
)
select *
from versions
qualify row_number() over (partition by asset_type_id, field_id order by valid_from desc) = 1
