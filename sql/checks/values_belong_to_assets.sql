-- severity: fail
-- why: each field value belongs to an asset of the same type and property
select asset_id, field_id
from main.asset_field_values as recorded
anti join main.assets as owner
  on owner.asset_id = recorded.asset_id
  and owner.asset_type_id is not distinct from recorded.asset_type_id
  and owner.property_id is not distinct from recorded.property_id
