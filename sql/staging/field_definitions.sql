-- grain: asset_type_id, field_id
-- why: the fields that each type's latest version defines; a tombstone has its last definition
with versions as (
  select * from staging.field_versions
)
select asset_type_id, field_id, kind, label, position, is_listed
from versions
where is_open
