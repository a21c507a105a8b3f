-- why: the models of the current tables take each of these versions for an asset
select versions.version_id as asset_id, history.valid_from, history.change, history.payload
from {{history}} as history
join staging.value_versions as versions using (asset_id, valid_from)
