-- grain: asset_type_id, why, value
-- why: two assets of one type with one serial number or QR code are often one asset that somebody entered twice
with written as materialized (
  select asset_id, asset_type_id, 'same serial' as why, lower(trim(serial)) as value
  from marts.asset_register
  where serial is not null
  union all
  select asset_id, asset_type_id, 'same QR', trim(qr) from marts.asset_register where qr is not null
),
repeated as (
  select asset_type_id, why, value from written group by all having count(*) > 1
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
  written.asset_type_id,
  any_value(asset_type) as asset_type,
  written.why,
  written.value,
  count(*) as assets,
  count(distinct property_id) as properties,
  string_agg(written.asset_id, ', ' order by written.asset_id) as asset_ids
from telling
join written
  on written.asset_type_id = telling.asset_type_id and written.why = telling.why and written.value = telling.value
join marts.asset_register as register on register.asset_id = written.asset_id
group by written.asset_type_id, written.why, written.value
