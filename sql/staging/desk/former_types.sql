-- grain: asset_type_id, valid_from
-- why: the versions of asset types that others replaced show which labels a field had before
select asset_type_id, valid_from, valid_to, change, payload
from history.asset_types
where valid_to is not null
