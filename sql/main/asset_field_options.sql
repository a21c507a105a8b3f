-- grain: asset_type_id, field_id, option_id
-- why: assets name the options that they chose by ids alone, also those that their field no longer offers
select asset_type_id, field_id, option_id, label, is_listed
from staging.latest_options
