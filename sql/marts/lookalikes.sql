-- grain: asset_type_id, why, value
-- why: two assets of one type with one serial number or QR code are often one asset that somebody entered twice
with written as (
  -- few values repeat, and a hash of each is faster to count than its text
  select *, hash(asset_type_id, why, value) as digest
  from (
    select asset_id, asset_type_id, asset_type, property_id, 'same serial' as why, lower(trim(serial)) as value
    from marts.asset_register
    where serial is not null
    union all
    select asset_id, asset_type_id, asset_type, property_id, 'same QR', trim(qr) from marts.asset_register where qr is not null
  )
),
repeated as (
  select digest from written group by digest having count(*) > 1
),
groups as (
  select
    asset_type_id,
    any_value(asset_type) as asset_type,
    why,
    value,
    count(*) as assets,
    len(list_distinct(list(property_id))) as properties,
    array_to_string(list_sort(list(asset_id)), ', ') as asset_ids
  from written
  semi join repeated using (digest)
  group by asset_type_id, why, value
  having count(*) > 1
)
select asset_type_id, asset_type, why, value, assets, properties, asset_ids
from groups
-- a text that stands for no number says nothing
where length(value) > 1
  and lower(value) not in (
    'n/a', 'na', 'nil', 'none', 'null', 'unknown', 'not known', 'not visible', 'not applicable', 'not available', 'not recorded',
    'no serial', 'illegible', 'tbc', 'tba', 'missing'
  )
  and not regexp_full_match(value, '[-.0xX? /]+')
