-- grain: asset_type_id, why, value
-- why: two assets of one type with one serial number or QR code are often one asset that somebody entered twice
with serials as (
  select asset_type_id, lower(trim(serial)) as value
  from marts.asset_register
  where serial is not null
  group by all
  having count(*) > 1
),
codes as (
  select asset_type_id, trim(qr) as value from marts.asset_register where qr is not null group by all having count(*) > 1
),
repeated as (
  -- few values come twice: only their rows are read again
  select serials.asset_type_id, 'same serial' as why, serials.value, asset_id, asset_type, property_id
  from serials
  join marts.asset_register as register
    on register.asset_type_id = serials.asset_type_id and lower(trim(register.serial)) = serials.value
  union all
  select codes.asset_type_id, 'same QR', codes.value, asset_id, asset_type, property_id
  from codes
  join marts.asset_register as register
    on register.asset_type_id = codes.asset_type_id and trim(register.qr) = codes.value
),
telling as (
  -- a text that stands for no number says nothing
  select *
  from repeated
  where length(value) > 1
    and value not in ('n/a', 'na', 'none', 'unknown', 'not known', 'not visible', 'no serial', 'tbc', 'tba', 'missing')
    and not regexp_full_match(value, '[-.0x? /]+')
)
select
  asset_type_id,
  any_value(asset_type) as asset_type,
  why,
  value,
  count(*) as assets,
  count(distinct property_id) as properties,
  string_agg(asset_id, ', ' order by asset_id) as asset_ids
from telling
group by asset_type_id, why, value
