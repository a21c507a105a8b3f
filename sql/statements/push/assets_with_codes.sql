-- why: a QR code is on one asset, so a plan that gives it to a second one names both
select trim(value_text), asset_id, field_id
from asset_field_values
where kind = 'qr' and trim(value_text) in (select unnest($codes))
order by asset_id, field_id
