-- title: Fields that are mostly empty
-- of: marts.field_fill
-- why: fields of asset types that fewer than half of the assets have filled, the emptiest first
select
  coalesce(asset_type, asset_type_id) as asset_type,
  label as field,
  kind,
  assets,
  filled,
  round(100 * filled_share, 1) as percent_filled,
  misfits
from marts.field_fill
where filled_share < 0.5 and is_listed
order by filled_share, assets desc, asset_type, label
