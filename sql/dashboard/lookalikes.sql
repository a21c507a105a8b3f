-- title: Groups of assets that look alike
-- of: marts.field_fill
-- why: groups of assets of one type with the same serial number or QR code, which may be one asset twice
select coalesce(asset_type, asset_type_id) as asset_type, why, value, assets, properties, asset_ids
from marts.lookalikes
order by assets desc, asset_type, value
